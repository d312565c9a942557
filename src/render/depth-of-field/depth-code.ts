/**
 * Returns the WGSL of `findBlur`, which writes the blur of each pixel from depth. It is joined to
 * `shaders/depth-of-field.wgsl`.
 * @param sampleCount samples of depth per pixel; the nearest one decides the blur
 */
export const depthCode = (sampleCount: 1 | 4): string => {
  const samples = Array.from({ length: sampleCount }, (_, sample) => `textureLoad(depth, pixel, ${sample})`);
  const nearest = samples.reduce((nearer, sample) => `max(${nearer}, ${sample})`);
  return `
@group(0) @binding(0) var depth: texture_depth_${sampleCount === 4 ? 'multisampled_' : ''}2d;
@fragment
fn findBlur(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(position.xy);
  return blurOf(${nearest});
}
`;
};
