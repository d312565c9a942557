import { part } from '../../core/lazily.js';
import type { Connect } from './connection.js';
import type { ResolvedOptions, ThreadingMode } from './engine-options.js';
import { connectWorker } from './worker-connection.js';

/** How threads of a mode are started. Loaded where the mode is not the default one, or changes. */
export async function connectBy(
  threading: ThreadingMode,
  required: ResolvedOptions['required'],
): Promise<Connect> {
  const connect = await connectPlain(threading);
  return required
    ? (await part('required', import('./required.js'))).connectRequiring(connect, required)
    : connect;
}

async function connectPlain(threading: ThreadingMode): Promise<Connect> {
  if (threading === 'render') return connectWorker;
  return threading === 'single'
    ? (await part('single-thread', import('./single-thread.js'))).connectSingleThread
    : (await part('two-workers', import('./two-workers.js'))).connectTwoWorkers;
}
