/**
 * Tools of tasks: the blocking primitives and arenas in shared memory, and the engine's fences. Tasks get them with their fourth argument,
 * because a module in a worker can't import a package by its name.
 */
import { StateError } from '../../core/errors.js';
import { type ArenaMemory, TaggedArenas } from '../arenas/tagged-arenas.js';
import { isLent } from '../arguments/shared-array.js';
import { TaskBarrier } from '../blocking/task-barrier.js';
import { TaskCondition } from '../blocking/task-condition.js';
import { TaskCounter } from '../blocking/task-counter.js';
import { TaskMutex } from '../blocking/task-mutex.js';
import { TaskReadWriteLock } from '../blocking/task-read-write-lock.js';
import { TaskSemaphore } from '../blocking/task-semaphore.js';
import { SignalPool, TaskSignal } from '../blocking/task-signal.js';
import { taskFences } from './task-fences.js';

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
   * @throws StateError `memory-not-shared` in a worker that has a copy
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
