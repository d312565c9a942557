import type { EventRing } from '../../core/event-ring.js';
import { CrowdCuller } from '../../render/crowds/crowd-culler.js';
import type { MemoryMessage } from '../../render/crowds/crowd-loops.js';
import { SubLists } from '../../render/crowds/sub-lists.js';
import type { Renderer } from '../../render/renderer.js';
import type { CrowdsConfig } from '../main/crowd-helpers.js';

/** Culls in groups from now on. With shared memory, helpers cull and record large lists as well. */
export function connectHelpers(
  { world: { scene, stores } }: Renderer,
  { memory, ports }: CrowdsConfig,
  events: EventRing,
): void {
  const share = (message: MemoryMessage): void => {
    for (const port of ports) port.postMessage(message);
  };
  const helpers = memory && { memory, count: ports.length, share };
  const culler = new CrowdCuller(scene.primitives, helpers, events);
  scene.primitives.culler = culler;
  stores.recorder = helpers && culler.loop && new SubLists(helpers, culler.loop, events);
}
