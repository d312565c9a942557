/**
 * The worker of a task system's pool: loads task modules by their address, and runs their tasks (`src/tasks/`). Or a helper of the
 * render thread's loops (`render/helper-threads/`), where that is the first it hears.
 */

import type { ServeRanges } from '../render/helper-threads/serve-ranges.js';
import { serveRanges } from '../render/helper-threads/serve-ranges.js';
import { serveTasks } from '../tasks/worker/serve-tasks.js';
import { importByAddress } from './library-files/import-by-address.js';

/**
 * A worker that closes itself, or that the browser ends, tells nobody; but then the browser lets go of its lock. It begins nothing before
 * it has the lock.
 */
function takeLifeLock(): Promise<void> {
  const lock = `fencepost task worker ${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  return new Promise((resolve) => {
    const held = navigator.locks?.request(lock, () => {
      self.postMessage({ kind: 'alive', lock });
      resolve();
      return new Promise(() => {});
    });
    // Where locks are not to be had, such a death is not noticed.
    if (held) held.catch(() => resolve());
    else resolve();
  });
}

/** It is not to be among the pool's orders, which wait for the lock. */
function serveHelper(event: MessageEvent<ServeRanges | { readonly kind: string }>): void {
  const { data } = event;
  if (!('ranges' in data)) return;
  event.stopImmediatePropagation();
  serveRanges(data);
}

self.postMessage({ kind: 'started' });
// Both before the first message is heard, in this order, and neither is replaced later.
self.addEventListener('message', serveHelper);
serveTasks(self as unknown as Parameters<typeof serveTasks>[0], importByAddress, true, takeLifeLock());
