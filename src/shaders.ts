/**
 * `fencepost/shaders`: WGSL functions for shader materials. Each export is a chunk with the function of its name.
 * A bundle contains only the chunks that a page imports, and the chunks that these call.
 *
 * @example
 * import { shaderMaterial } from 'fencepost';
 * import { gradientNoise3 } from 'fencepost/shaders';
 * const marble = shaderMaterial({
 *   imports: [gradientNoise3],
 *   wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
 *     let vein = abs(gradientNoise3(point.position * 4.0));
 *     (*appearance).baseColor = vec4f(vec3f(sqrt(vein)), 1.0);
 *   }`,
 * });
 */
export {
  fractalNoise2,
  fractalNoise3,
  gradientNoise2,
  gradientNoise3,
  hash,
  simplexNoise2,
  simplexNoise3,
  valueNoise2,
  valueNoise3,
  voronoi2,
  voronoi3,
} from './game/shader-chunks/noise.js';
export type { ShaderChunk } from './game/shader-chunks/shader-chunk.js';
export {
  fresnel,
  hueShift,
  palette,
  remap,
  rotate,
  triplanar,
} from './game/shader-chunks/surface-functions.js';
