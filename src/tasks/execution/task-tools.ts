/**
 * Tools of tasks: the blocking primitives and arenas in shared memory, and the engine's fences. A task gets the tools
 * from its fourth argument, because a module in a worker can't import a package by its name.
 */
import { StateError } from '../../core/errors.js';
import { type ArenaMemory, TaggedArenas } from '../../core/memory/tagged-arenas.js';
import type { Fences } from '../../sync/fences/fences.js';
import { isLent } from '../arguments/shared-array.js';
import { TaskCounter } from '../blocking/task-counter.js';
import { TaskMutex, TaskReadWriteLock } from '../blocking/task-locks.js';
import {
  SignalPool,
  TaskBarrier,
  TaskCondition,
  TaskSemaphore,
  TaskSignal,
} from '../blocking/task-signals.js';

const opened = new WeakMap<ArrayBufferLike, TaggedArenas>();

export const taskTools = {
  TaskBarrier,
  TaskCondition,
  TaskCounter,
  TaskMutex,
  TaskReadWriteLock,
  TaskSemaphore,
  TaskSignal,
  SignalPool,
  fences: taskFences,
  /**
   * Opens arenas whose memory is an argument of the task.
   * @throws StateError `memory-not-shared` in a task that has a copy of the memory
   */
  openArenas(memory: ArenaMemory): TaggedArenas {
    if (isLent(memory.words)) {
      throw new StateError(
        'memory-not-shared',
        'Arenas are shared with workers in cross-origin isolated pages only. Allocate on the page, and give the task the views.',
      );
    }
    // All tasks of a thread share one object, so that the thread fills only one block per tag.
    let arenas = opened.get(memory.words.buffer);
    if (!arenas) {
      arenas = new TaggedArenas(memory);
      opened.set(memory.words.buffer, arenas);
    }
    return arenas;
  },
} as const;

export type TaskTools = typeof taskTools;

/**
 * The engine's fences in tasks (SYSTEMS F3). A pool worker joins the group of fences when one of its tasks first calls
 * `fences()`. All tasks of the worker share this membership, and may block on fences.
 *
 *   task.tools.fences() ─► worker ── asks ──► page: invites ── invitation, or the reason for none ──► joins
 */
let joinOnThread: (() => Promise<Fences>) | null = null;

/** Sets the function by which this thread joins the engine's fences. Without it, tasks on a thread can't use fences. */
export function setFenceJoining(join: () => Promise<Fences>): void {
  joinOnThread = join;
}

/**
 * Joins the group of `engine.fences` with this worker, and returns its `Fences`. The task opens a fence with the result
 * of `fence.share()` from the page. In cross-origin isolated pages, the task may block until a fence reaches a value.
 * @throws (rejects) StateError `task-fences-refused` outside of pool workers, `fences-not-connected` before the page
 * has called `engine.fences()`, `too-many-fence-threads`
 */
export async function taskFences(): Promise<Fences> {
  if (joinOnThread) return joinOnThread();
  throw new StateError(
    'task-fences-refused',
    'task.tools.fences() was called on a thread that may not block: the page, or a thread with a name. Run the task on a worker of the pool (taskWorkers).',
  );
}
