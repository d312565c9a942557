// Colours without tone mapping, premultiplied by coverage. Joined to tone-mapping.wgsl if a scene has such colours.

@group(0) @binding(2) var unmappedColors: texture_2d<f32>;

fn unmappedColor(pixel: vec2u) -> vec4f {
  return textureLoad(unmappedColors, pixel, 0);
}
