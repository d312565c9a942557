import code from '../../../shaders/chromatic-aberration.wgsl?raw';
import type { EffectValues } from '../../proxy/effects.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import type { Effect } from './effect.js';

const GpuAberration = /* @__PURE__ */ defineGpuStruct('ChromaticAberration', { amount: 'f32' });

/**
 * Draws red light larger and blue light smaller than green light. The last pass evaluates the finished picture at
 * three places, so the background and colours without tone mapping are included.
 */
export class ChromaticAberration implements Effect<'chromaticAberration'> {
  readonly pixel = {
    code,
    struct: GpuAberration,
    words: new Float32Array(GpuAberration.words),
    stage: 'lens',
  } as const;

  setOptions({ amount }: EffectValues<'chromaticAberration'>): void {
    this.pixel.words[GpuAberration.at.amount] = amount;
  }

  reach(size: number): number {
    const amount = this.pixel.words[GpuAberration.at.amount] as number;
    // Blue light comes from farther away than red light.
    return (size / 2) * (amount / (1 - amount)) + 1;
  }
}
