import type { EventRing } from '../../core/events/event-ring.js';
import { messageLost } from '../../core/streams/port-messages.js';
import type { MemoryMessage } from '../../render/helper-threads/helper-loops.js';
import { SharedCuller } from '../../render/helper-threads/shared-culler.js';
import { SubLists } from '../../render/helper-threads/sub-lists.js';
import type { Renderer } from '../../render/renderer.js';
import type { HelperPorts } from '../control/protocol.js';
import { HelperMemories } from './helper-memories.js';

/**
 * Makes the scene cull in groups from now on. With shared memory, helpers also cull and record large lists.
 */
export function connectHelpers(
  { world: { scene, stores } }: Renderer,
  { memory, ports }: HelperPorts,
  { events, onError }: { readonly events: EventRing; readonly onError: (error: unknown) => void },
): HelperMemories {
  const memories = new HelperMemories(ports, (helper) =>
    onError(messageLost(`helper ${helper}`, 'Its memories were sent again.')),
  );
  const share = (message: MemoryMessage): void => memories.share(message);
  const helpers = memory && { memory, count: ports.length, share };
  const culler = new SharedCuller(scene.primitives, helpers, events);
  scene.primitives.culler = culler;
  stores.recorder = helpers && culler.loop && new SubLists(helpers, culler.loop, events);
  return memories;
}
