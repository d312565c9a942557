import type { CallableTask } from './task-module.js';

/** Where a range's bounds and the counter stand. */
export interface Ranges {
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
}

/** Runs the task over ranges from the counter until none is left; one that throws leaves none to the others. */
export async function takeRanges(
  task: CallableTask,
  args: unknown,
  { counter, count, batch }: Ranges,
): Promise<void> {
  try {
    for (;;) {
      const begin = Atomics.add(counter, 0, batch);
      // It may have gone beyond 2³¹ where many ask at the end.
      if (begin >= count || begin < 0) return;
      await task(args, begin, Math.min(begin + batch, count));
    }
  } catch (error) {
    Atomics.store(counter, 0, count);
    throw error;
  }
}
