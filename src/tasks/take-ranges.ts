import type { CallableTask } from './task-module.js';

/** Where a range's bounds and the counter stand. */
export interface Ranges {
  /** [next index]; in shared memory, where several take from it. */
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
}

/**
 * Runs the task over ranges from the counter until none is left; one that throws leaves none to the others.
 * @returns a promise only where a call has returned one
 */
export function takeRanges(
  task: (...call: Parameters<CallableTask>) => unknown,
  args: unknown,
  ranges: Ranges,
): void | Promise<void> {
  const { counter, count, batch } = ranges;
  const fail = (error: unknown): never => {
    Atomics.store(counter, 0, count);
    throw error;
  };
  for (;;) {
    const begin = Atomics.add(counter, 0, batch);
    // It may have gone beyond 2³¹ where many ask at the end.
    if (begin >= count || begin < 0) return;
    let called: unknown;
    try {
      called = task(args, begin, Math.min(begin + batch, count));
    } catch (error) {
      fail(error);
    }
    if (called instanceof Promise) return called.then(() => takeRanges(task, args, ranges), fail);
  }
}
