import type { EventRing } from '../../core/events/event-ring.js';
import { messageLost } from '../../core/streams/port-messages.js';
import type { LoopHelpers } from '../../render/helper-threads/helper-loops.js';
import { SharedCuller } from '../../render/helper-threads/shared-culler.js';
import { SubLists } from '../../render/helper-threads/sub-lists.js';
import type { Renderer } from '../../render/renderer.js';
import { wakeAll } from '../../tasks/shared-memory/sleeping-threads.js';
import { TaskMemory } from '../../tasks/shared-memory/task-memory.js';
import { HIGH_QUEUE } from '../../tasks/task-sets.js';
import type { HelperPool } from '../control/protocol.js';
import { HelperMemories } from './helper-memories.js';

/**
 * Makes the engine's own world cull primitives in groups from now on. With helpers, workers of the pool also cull,
 * sample clips and record large command lists. The loops belong to the pool's high set (SYSTEMS T14).
 *
 * @returns the memories of the loops; null without helpers
 */
export function connectHelpers(
  { world: { scene, stores } }: Renderer,
  pool: HelperPool | null,
  { events, onError }: { readonly events: EventRing; readonly onError: (error: unknown) => void },
): HelperMemories | null {
  const memories =
    pool &&
    new HelperMemories(pool.port, () =>
      onError(messageLost('memories of the render thread’s loops', 'They were sent again.')),
    );
  const helpers = pool && memories && helpersOf(pool, memories);
  const culler = new SharedCuller(scene.primitives, helpers, events);
  scene.primitives.culler = culler;
  stores.recorder = helpers && culler.loop && new SubLists(helpers, culler.loop, events);
  return memories;
}

function helpersOf(
  { memory, pool, takers, recordingTasks }: HelperPool,
  memories: HelperMemories,
): LoopHelpers {
  const shared = new TaskMemory(pool.shape, pool.buffer);
  return {
    memory,
    count: pool.shape.threads - 1,
    takers,
    recordingTasks,
    wake: () => wakeAll(shared, HIGH_QUEUE),
    share: (message) => memories.share(message),
  };
}
