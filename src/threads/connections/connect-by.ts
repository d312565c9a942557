import { part } from '../../core/lazily.js';
import type { ThreadingMode } from '../../engine/options/engine-options.js';
import type { Connect } from './connection.js';
import { connectTwoWorkers } from './two-workers.js';
import { connectWorker } from './worker-connection.js';

/** Returns the function that starts the threads of a mode. `single` mode loads the renderer on the main thread. */
export async function connectBy(threading: ThreadingMode): Promise<Connect> {
  if (threading === 'render') return connectWorker;
  if (threading === 'render+rhi') return connectTwoWorkers;
  return (await part('single-thread', import('./single-thread.js'))).connectSingleThread;
}
