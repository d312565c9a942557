/**
 * Three sets of workers, because browsers have no thread priorities (SYSTEMS T2). The workers of a set take jobs from
 * its own queues. Normal workers also take jobs of the high set, whose own workers stay free for urgent tasks.
 *
 *   queue            0 high, urgent   1 high   2 normal, urgent   3 normal   4 background, urgent   5 background
 *   high workers     ├───────────────────────┤
 *   normal workers   ├─────────────────────────────────────────────────────┤
 *   background                                                             ├────────────────────────────────────┤
 *
 * Without background workers, background tasks run as normal tasks. Without high workers, tasks of the high set run as
 * urgent tasks of the normal set.
 */
import type { QueueName, ThreadName } from './named-threads/thread-queues.js';
import type { TaskPriority } from './task-queue.js';

export type WorkerSet = 'high' | 'normal' | 'background';

export const WORKER_SETS: readonly WorkerSet[] = ['high', 'normal', 'background'];

/** Largest number of workers per set. */
export type SetSizes = Readonly<Record<WorkerSet, number>>;

/** The workers that run a task, and the task's priority in their queues. */
export interface TaskTarget {
  readonly set: WorkerSet;
  readonly priority: TaskPriority;
  /** Named thread; undefined for the pool. */
  readonly thread?: ThreadName | undefined;
  readonly queue?: QueueName | undefined;
}

/** Queues of each set's workers, in the order in which they take jobs. */
export const QUEUE_ORDERS: Readonly<Record<WorkerSet, readonly number[]>> = {
  high: [0, 1],
  normal: [0, 1, 2, 3],
  background: [4, 5],
};

/** First queue of the high set. A resident loop wakes the threads that sleep on this queue. */
export const HIGH_QUEUE = 0;

/**
 * Returns the set that runs a task, and the task's priority in it.
 * @param sizes configured number of workers per set
 */
export function targetOf(set: WorkerSet, priority: TaskPriority, sizes: SetSizes): TaskTarget {
  if (sizes[set] > 0) return { set, priority };
  return { set: 'normal', priority: set === 'high' ? 'high' : priority };
}

/** Returns whether workers of this set take jobs of the high set and join resident loops. */
export const servesHigh = (set: WorkerSet): boolean => QUEUE_ORDERS[set].includes(HIGH_QUEUE);

export const queueOf = ({ set, priority }: TaskTarget): number =>
  WORKER_SETS.indexOf(set) * 2 + (priority === 'high' ? 0 : 1);

export const setOf = (queue: number): WorkerSet => WORKER_SETS[queue >> 1] as WorkerSet;

export const totalOf = (sizes: SetSizes): number => sizes.high + sizes.normal + sizes.background;
