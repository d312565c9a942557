/**
 * Helping: a task waits for tasks that it has started, without leaving the stack (SYSTEMS T5). Meanwhile its worker
 * runs the awaited tasks that no other worker has begun.
 *
 *   a task ─ starts b, c ─ wait(b, c) ─► runs c itself ─► sleeps until another worker has ended b ─► continues
 *
 * The worker runs only its own jobs: those that tasks on its stack have started. Any other job could wait for a lock
 * that a task below it on the stack holds, and so block for ever. The tasks on the stack wait for the worker's own
 * jobs anyway. Awaited jobs run first. A tree of tasks then needs a stack as deep as the tree, and not as
 * deep as its number of tasks. On a deep stack the worker runs only awaited jobs.
 */
import type { SharedQueues } from './shared-queues.js';

/** Longest sleep, in milliseconds. The worker then checks again, because some changes wake no thread. */
const LOOK = 1000;

/** The queues, as helping uses them. */
export type HelpedQueues = Pick<
  SharedQueues,
  'thread' | 'isShutDown' | 'claimOwn' | 'prepareNap' | 'wait' | 'wake' | 'wakeUp'
>;

interface Helping {
  /** Collects jobs that have ended. @returns whether all awaited jobs have ended */
  readonly isOver: () => boolean;
  /** Runs a claimed job to its end. */
  readonly run: (slot: number) => void;
  /** Runs one of the awaited jobs that no worker has begun. @returns false if there is none */
  readonly runAwaited?: () => boolean;
  /** Runs one of the worker's own jobs that have no slot. @returns false if there is none */
  readonly runSpare?: () => boolean;
  /** Queues from which the worker also runs own jobs that the task does not await; empty on a deep stack. */
  readonly order: readonly number[];
}

/** Runs and awaits own jobs until `isOver`. @returns false if the task system was shut down meanwhile */
export function helpUntil(
  queues: HelpedQueues,
  { isOver, run, runAwaited, runSpare, order }: Helping,
): boolean {
  // If the event loop runs the task, the worker loop is marked as asleep. Wake it, so that it checks the queues again
  // after the task.
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
