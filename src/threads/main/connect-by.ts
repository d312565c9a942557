import { part } from '../../core/lazily.js';
import type { Connect } from './connection.js';
import type { ResolvedOptions, ThreadingMode } from './engine-options.js';
import { connectWorkers } from './worker-connection.js';

/** How threads of a mode are started. Loaded where the mode is not the default one, or changes. */
export async function connectBy(
  threading: ThreadingMode,
  required: ResolvedOptions['required'],
): Promise<Connect> {
  const connect =
    threading === 'single'
      ? (await part('single-thread', import('./single-thread.js'))).connectSingleThread
      : connectWorkers;
  return required
    ? (await part('required', import('./required.js'))).connectRequiring(connect, required)
    : connect;
}
