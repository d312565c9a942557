/** The part for crowds: colours of instances; culling of thousands of primitives in groups and recording of thousands of draws, with helpers where memory is shared. */

import { CrowdCuller } from '../../render/crowds/crowd-culler.js';
import type { MemoryMessage } from '../../render/crowds/crowd-loops.js';
import { packHalfFloats } from '../../render/crowds/half-floats.js';
import { SubLists } from '../../render/crowds/sub-lists.js';
import { GpuPrimitive } from '../../render/gpu-layouts.js';
import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from '../control/thread-api.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

/** For a helper's worker (`task-worker.ts`). */
export { serveRanges } from '../../render/crowds/serve-ranges.js';

export function createCalls(thread: ThreadSides): Pick<ThreadApi, 'connectCrowds'> {
  return {
    async connectCrowds({ memory, ports }) {
      const { renderer } = thread.render ?? {};
      if (!renderer) return;
      const { scene, stores } = renderer.world;
      const share = (message: MemoryMessage): void => {
        for (const port of ports) port.postMessage(message);
      };
      const helpers = memory && { memory, count: ports.length, share };
      const culler = new CrowdCuller(scene.primitives, helpers, thread.events);
      scene.primitives.culler = culler;
      stores.recorder = helpers && culler.loop && new SubLists(helpers, culler.loop, thread.events);
    },
  };
}

export function createRenderPart({ world: { scene } }: RenderPartHost): RenderPart {
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
