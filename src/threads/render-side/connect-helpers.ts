import type { EventRing } from '../../core/events/event-ring.js';
import type { MemoryMessage } from '../../render/helper-threads/helper-loops.js';
import { SharedCuller } from '../../render/helper-threads/shared-culler.js';
import { SubLists } from '../../render/helper-threads/sub-lists.js';
import type { Renderer } from '../../render/renderer.js';
import type { HelperPorts } from '../control/protocol.js';

/** Culls in groups from now on. With shared memory, helpers cull and record large lists as well. */
export function connectHelpers(
  { world: { scene, stores } }: Renderer,
  { memory, ports }: HelperPorts,
  events: EventRing,
): void {
  const share = (message: MemoryMessage): void => {
    for (const port of ports) port.postMessage(message);
  };
  const helpers = memory && { memory, count: ports.length, share };
  const culler = new SharedCuller(scene.primitives, helpers, events);
  scene.primitives.culler = culler;
  stores.recorder = helpers && culler.loop && new SubLists(helpers, culler.loop, events);
}
