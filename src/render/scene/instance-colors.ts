import type { StreamReader } from '../../core/streams/stream.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
import { packHalfFloats } from '../buffers/half-floats.js';
import type { GpuScene } from './gpu-scene.js';
import type { PrimitiveStore } from './primitive-store.js';

/** Writes colours of instances into the GPU scene: two words of half floats each, linear RGBA. */
export class InstanceColors {
  readonly #gpuScene: GpuScene;
  readonly #primitives: PrimitiveStore;

  constructor(gpuScene: GpuScene, primitives: PrimitiveStore) {
    this.#gpuScene = gpuScene;
    this.#primitives = primitives;
  }

  /** Executes `setColors`. */
  execute({ words, floats, fields: at }: StreamReader): void {
    const count = words[at] as number;
    for (let index = 0, color = at + 2 + count; index < count; index++, color += 4) {
      const primitive = words[at + 1 + index] as number;
      if (!this.#primitives.has(primitive)) continue;
      // Instances have neither joints nor morph targets, so their colours use the words of joints and morph targets
      // (`gpu-layouts.ts`).
      this.#gpuScene.setWord(
        primitive,
        GpuPrimitive.at.palette,
        packHalfFloats(floats[color] as number, floats[color + 1] as number),
      );
      this.#gpuScene.setWord(
        primitive,
        GpuPrimitive.at.morph,
        packHalfFloats(floats[color + 2] as number, floats[color + 3] as number),
      );
      this.#primitives.markChanged(primitive);
    }
  }
}
