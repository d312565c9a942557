import code from '../../../shaders/vignette.wgsl?raw';
import type { EffectValues } from '../../proxy/effects.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import type { Effect } from './effect.js';

const GpuVignette = /* @__PURE__ */ defineGpuStruct('Vignette', {
  color: 'vec3f',
  amount: 'f32',
  radius: 'f32',
  /**
   * 1 divided by the distance over which the vignette grows. Distances are measured from the middle, and are 1 at the
   * corners.
   */
  slope: 'f32',
});

/** Minimum distance across which the vignette grows. It keeps the slope of a hard edge finite. */
const LEAST_DISTANCE = 1e-4;

/**
 * Darkens a view towards its corners, as a lens does. With d the distance from the middle (corners: 1):
 *   light × (1 − amount · s) + color × amount · s,   s = smoothstep(radius, radius + softness · (1 − radius), d)
 */
export class Vignette implements Effect<'vignette'> {
  readonly pixel = { code, struct: GpuVignette, words: new Float32Array(GpuVignette.words) };

  setOptions({ color, amount, radius, softness }: EffectValues<'vignette'>): void {
    const { at } = GpuVignette;
    const { words } = this.pixel;
    words.set(color, at.color);
    words[at.amount] = amount;
    words[at.radius] = radius;
    words[at.slope] = 1 / Math.max(LEAST_DISTANCE, softness * (1 - radius));
  }
}
