// Reads the sums of colours without exposure and tone mapping, for weighted-blending.wgsl.

@group(0) @binding(2) var unmappedSums: Sums;

fn unmappedSum(pixel: vec2u, sampleIndex: u32) -> vec4f {
  return textureLoad(unmappedSums, pixel, sampleIndex);
}
