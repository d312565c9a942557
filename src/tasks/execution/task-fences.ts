/**
 * The engine's fences in tasks (SYSTEMS F3). A worker of the pool joins the group of fences when one of its tasks first
 * asks for it, and may then block. All tasks of the worker share its part in the group.
 *
 *   task.tools.fences() ─► worker ── asks ──► page: invites ── invitation, or the reason for none ──► joins
 */
import { StateError } from '../../core/errors.js';
import type { Fences } from '../../sync/fences/fences.js';

let joinOnThread: (() => Promise<Fences>) | null = null;

/** Sets how this thread joins the engine's fences. Threads that never call it have none for tasks. */
export function setFenceJoining(join: () => Promise<Fences>): void {
  joinOnThread = join;
}

/**
 * Returns this worker's part in the group of `engine.fences`. The task opens fences with what `fence.share()` returned
 * on the page, and may block until they reach a value, in cross-origin isolated pages.
 * @throws (rejects) StateError `task-fences-refused` outside of pool workers, `fences-not-connected` before the page has
 * called `engine.fences()`, `too-many-fence-threads`
 */
export async function taskFences(): Promise<Fences> {
  if (joinOnThread) return joinOnThread();
  throw new StateError(
    'task-fences-refused',
    'task.tools.fences() was called on a thread that may not block: the page, or a thread with a name. Run the task on a worker of the pool (taskWorkers).',
  );
}
