/** The part for instances that have colours of their own, loaded with the first of them. */
import { GpuPrimitive } from '../../render/gpu-layouts.js';
import { packHalfFloats } from '../../render/instances/half-floats.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer: { scene } }: RenderPartHost): RenderPart {
  const { gpuScene, primitives } = scene;
  return {
    execute({ words, floats, fields: at }) {
      const count = words[at] as number;
      for (let index = 0, color = at + 2 + count; index < count; index++, color += 4) {
        const primitive = words[at + 1 + index] as number;
        if (!primitives.has(primitive)) continue;
        // The places of what instances never have: joints and morph targets (`gpu-layouts.ts`).
        gpuScene.setWord(
          primitive,
          GpuPrimitive.at.palette,
          packHalfFloats(floats[color] as number, floats[color + 1] as number),
        );
        gpuScene.setWord(
          primitive,
          GpuPrimitive.at.morph,
          packHalfFloats(floats[color + 2] as number, floats[color + 3] as number),
        );
        primitives.markChanged(primitive);
      }
    },
  };
}
