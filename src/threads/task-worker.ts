/**
 * Entry point of the workers in a task system's pool. A worker loads task modules by their address, and runs their
 * tasks (`src/tasks/`). In an engine's pool it also takes part in the render thread's loops (`render/helper-threads/`)
 * and decodes pieces of large files (`assets/decoding-workers/`).
 */

import { DECODING_MODULE } from '../assets/decoding-workers/decoding-messages.js';
import { decodingTasks } from '../assets/decoding-workers/serve-decoding.js';
import { openRangeLoop } from '../render/helper-threads/serve-ranges.js';
import { serveTasks } from '../tasks/worker/serve-tasks.js';
import { decodersAt } from './assets/decoders-at.js';
import { importByAddress } from './library-files/import-by-address.js';
import { joinTaskFences } from './tasks/join-task-fences.js';

/**
 * Takes a lock that the worker holds as long as it lives. A worker that closes itself or that the browser
 * ends sends no message, but the browser then releases its lock. The worker begins no task before it has the
 * lock.
 */
function takeLifeLock(): Promise<void> {
  const lock = `fencepost task worker ${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  return new Promise((resolve) => {
    const held = navigator.locks?.request(lock, () => {
      self.postMessage({ kind: 'alive', lock });
      resolve();
      return new Promise(() => {});
    });
    // Without the Web Locks API, the pool cannot detect the death of a worker.
    if (held) held.catch(() => resolve());
    else resolve();
  });
}

self.postMessage({ kind: 'started' });
joinTaskFences(self as unknown as Parameters<typeof joinTaskFences>[0]);
serveTasks(
  self as unknown as Parameters<typeof serveTasks>[0],
  async (url) => (url === DECODING_MODULE ? decodingTasks(decodersAt) : importByAddress(url)),
  true,
  takeLifeLock(),
  null,
  openRangeLoop,
);
