// Copies depth with one sample per pixel to all samples of a pixel, for the mask of outlines.

@group(0) @binding(0) var source: texture_depth_2d;

@fragment
fn spreadDepth(@builtin(position) position: vec4f) -> @builtin(frag_depth) f32 {
  return textureLoad(source, vec2u(position.xy), 0);
}
