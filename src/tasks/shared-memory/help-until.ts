/**
 * A task that waits in its middle for tasks that it has started, and holds its thread: the worker runs those meanwhile that
 * nobody else has begun (SYSTEMS T5).
 *
 *   a task ─ starts b, c ─ wait(b, c) ─► runs c itself ─► sleeps until b has ended elsewhere ─► goes on
 *
 * It runs its own jobs alone. Anything else could wait, on top of this stack, for something below it: for a lock that the
 * waiting task holds. Own jobs can't: they were started by tasks of this very stack, which wait for them anyway. What it waits
 * for comes first, so that a tree of tasks needs a stack as deep as the tree, and not as deep as it has tasks; on a stack that
 * is deep already it runs nothing else.
 */
import type { SharedQueues } from './shared-queues.js';

/** Milliseconds after which a sleeper looks for itself: at what other threads tell in no other way. */
const LOOK = 1000;

/** What helping needs of the queues. */
export type HelpedQueues = Pick<
  SharedQueues,
  'thread' | 'isShutDown' | 'claimOwn' | 'prepareNap' | 'wait' | 'wake' | 'wakeUp'
>;

interface Helping {
  /** Collects what has ended, and says whether that was all. */
  readonly isOver: () => boolean;
  /** Runs a claimed job to its end. */
  readonly run: (slot: number) => void;
  /** Runs one of those that it waits for, if nobody has begun it; false: there is none. */
  readonly runAwaited?: () => boolean;
  /** Runs another one of its own that has found no slot; false: there is none. */
  readonly runSpare?: () => boolean;
  /** The queues of its own from which it runs what it does not wait for; none where the stack is deep. */
  readonly order: readonly number[];
}

/** @returns false: the task system was shut down meanwhile */
export function helpUntil(
  queues: HelpedQueues,
  { isOver, run, runAwaited, runSpare, order }: Helping,
): boolean {
  // Where the event loop runs the task, the thread has said that it sleeps there: it looks again behind the task, whatever becomes of the nap.
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
