/**
 * Helping: a task waits in its middle, without leaving the stack, for tasks that it has started (SYSTEMS T5). Its
 * worker meanwhile runs those that no other worker has begun.
 *
 *   a task ─ starts b, c ─ wait(b, c) ─► runs c itself ─► sleeps until another worker has ended b ─► continues
 *
 * The worker runs only its own jobs. Any other job could wait, on top of this stack, for something below it, such as a
 * lock that the waiting task holds. Own jobs can't: tasks on this very stack have started them, and wait for them
 * anyway. Awaited jobs run first, so that a tree of tasks needs a stack as deep as the tree, and not as deep as its
 * number of tasks. On a deep stack the worker runs only awaited jobs.
 */
import type { SharedQueues } from './shared-queues.js';

/** Longest sleep, in milliseconds. After it the worker checks for itself, because some changes ring no bell. */
const LOOK = 1000;

/** The queues, as helping uses them. */
export type HelpedQueues = Pick<
  SharedQueues,
  'thread' | 'isShutDown' | 'claimOwn' | 'prepareNap' | 'wait' | 'wake' | 'wakeUp'
>;

interface Helping {
  /** Collects jobs that have ended. @returns whether all awaited ones have */
  readonly isOver: () => boolean;
  /** Runs a claimed job to its end. */
  readonly run: (slot: number) => void;
  /** Runs one of the awaited jobs that no worker has begun. @returns false if there is none */
  readonly runAwaited?: () => boolean;
  /** Runs another own job that has no slot. @returns false if there is none */
  readonly runSpare?: () => boolean;
  /** Own queues from which it also runs jobs that it does not wait for; empty on a deep stack. */
  readonly order: readonly number[];
}

/** Runs and awaits own jobs until `isOver`. @returns false if the task system was shut down meanwhile */
export function helpUntil(
  queues: HelpedQueues,
  { isOver, run, runAwaited, runSpare, order }: Helping,
): boolean {
  // If the event loop runs the task, the worker loop is marked as asleep. Wake it, so that it looks again after the
  // task.
  queues.wake(queues.thread);
  while (!isOver()) {
    if (queues.isShutDown) return false;
    if (runAwaited?.()) continue;
    const slot = queues.claimOwn(order);
    if (slot >= 0) {
      run(slot);
      continue;
    }
    if (runSpare?.()) continue;
    const bell = queues.prepareNap();
    if (bell === null) continue;
    queues.wait(bell, LOOK);
    queues.wakeUp();
  }
  return true;
}
