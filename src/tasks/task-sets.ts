/**
 * Workers in three sets, because a browser has no priorities of threads (SYSTEMS T2). A set takes from its own queues, and workers of
 * the normal set help the high one, whose workers are kept free for what is urgent.
 *
 *   queue            0 high, urgent   1 high   2 normal, urgent   3 normal   4 background, urgent   5 background
 *   high workers     ├───────────────────────┤
 *   normal workers   ├─────────────────────────────────────────────────────┤
 *   background                                                             ├────────────────────────────────────┤
 *
 * Without background workers their tasks run as normal ones; without high workers, theirs run as urgent ones of the normal set.
 */
import type { QueueName, ThreadName } from './named-threads/thread-queues.js';
import type { TaskPriority } from './task-queue.js';

export type WorkerSet = 'high' | 'normal' | 'background';

export const WORKER_SETS: readonly WorkerSet[] = ['high', 'normal', 'background'];

/** The most workers of each. */
export type SetSizes = Readonly<Record<WorkerSet, number>>;

/** Which workers run a task, and before which others. */
export interface TaskTarget {
  readonly set: WorkerSet;
  readonly priority: TaskPriority;
  /** Undefined: the pool. */
  readonly thread?: ThreadName | undefined;
  readonly queue?: QueueName | undefined;
}

/** In this order they take from queues. */
export const QUEUE_ORDERS: Readonly<Record<WorkerSet, readonly number[]>> = {
  high: [0, 1],
  normal: [0, 1, 2, 3],
  background: [4, 5],
};

/** Where a task goes, with the workers that there are. */
export function targetOf(set: WorkerSet, priority: TaskPriority, sizes: SetSizes): TaskTarget {
  if (sizes[set] > 0) return { set, priority };
  return { set: 'normal', priority: set === 'high' ? 'high' : priority };
}

export const queueOf = ({ set, priority }: TaskTarget): number =>
  WORKER_SETS.indexOf(set) * 2 + (priority === 'high' ? 0 : 1);

export const setOf = (queue: number): WorkerSet => WORKER_SETS[queue >> 1] as WorkerSet;

export const totalOf = (sizes: SetSizes): number => sizes.high + sizes.normal + sizes.background;
