// Joined to edge-smoothing.wgsl when colours without tone mapping have their own target. An edge may lie between the
// two targets.

@group(0) @binding(1) var unmappedColors: texture_2d<f32>;

struct SmoothedPicture {
  @location(0) color: vec4f,
  @location(1) unmapped: vec4f,
}

fn unmappedAt(pixel: vec2i) -> vec4f {
  return textureLoad(unmappedColors, inside(pixel), 0);
}

fn smoothedPicture(pixel: vec2i, neighbour: vec2i, share: f32) -> SmoothedPicture {
  return SmoothedPicture(
    mix(colorAt(pixel), colorAt(neighbour), share),
    mix(unmappedAt(pixel), unmappedAt(neighbour), share),
  );
}
