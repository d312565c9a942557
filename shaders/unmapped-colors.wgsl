// Colours that tone mapping leaves alone, premultiplied by coverage: joined to tone-mapping.wgsl where there are any.

@group(0) @binding(2) var unmappedColors: texture_2d<f32>;

fn unmappedColor(pixel: vec2u) -> vec4f {
  return textureLoad(unmappedColors, pixel, 0);
}
