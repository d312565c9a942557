import code from '../../../shaders/grain.wgsl?raw';
import type { EffectValues } from '../../proxy/effects.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import type { Effect } from './effect.js';

const GpuGrain = /* @__PURE__ */ defineGpuStruct('Grain', { amount: 'f32', size: 'f32', seed: 'u32' });
const { at } = GpuGrain;

/** Adds noise to the brightness of the finished picture. The noise depends on the pixel and on the frame number. */
export class Grain implements Effect<'grain'> {
  readonly pixel = {
    code,
    struct: GpuGrain,
    words: new Float32Array(GpuGrain.words),
    stage: 'film',
  } as const;
  readonly #numbers = new Uint32Array(this.pixel.words.buffer);

  setOptions({ amount, size }: EffectValues<'grain'>): void {
    this.pixel.words[at.amount] = amount;
    this.pixel.words[at.size] = size;
  }

  beginFrame(frame: number): void {
    this.#numbers[at.seed] = frame;
  }
}
