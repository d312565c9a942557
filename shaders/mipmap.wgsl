// Draws one mip level from the level above it. The target is half as large, so each texel's centre falls on the corner
// of four source texels. The linear sampler returns the average of these texels.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var linearSampler: sampler;

struct Varying {
  @builtin(position) position: vec4f,
  @location(0) uv: vec2f,
}

// One triangle covers the target.
@vertex
fn coverTarget(@builtin(vertex_index) vertex: u32) -> Varying {
  let corner = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u));
  return Varying(vec4f(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}

@fragment
fn averageTexels(input: Varying) -> @location(0) vec4f {
  return textureSample(source, linearSampler, input.uv);
}
