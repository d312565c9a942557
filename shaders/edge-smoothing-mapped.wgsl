// Joined to edge-smoothing.wgsl when all colours are in one target.

struct SmoothedPicture {
  @location(0) color: vec4f,
}

fn unmappedAt(pixel: vec2i) -> vec4f {
  return vec4f(0.0);
}

fn smoothedPicture(pixel: vec2i, neighbour: vec2i, share: f32) -> SmoothedPicture {
  return SmoothedPicture(mix(colorAt(pixel), colorAt(neighbour), share));
}
