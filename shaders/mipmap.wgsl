// Draws one mip level from the level above it. The target is half as large, so in levels of even sizes each texel's
// centre falls on the corner of four source texels. The linear sampler returns the average of these texels.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var linearSampler: sampler;

@fragment
fn averageTexels(input: Covering) -> @location(0) vec4f {
  return textureSample(source, linearSampler, input.uv);
}
