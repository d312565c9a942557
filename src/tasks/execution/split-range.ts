/**
 * Recursive splitting of a `parallelFor` (SYSTEMS T4). Each worker gives away the upper half of its range until one
 * batch is left. So the workers that wake first wake the next workers.
 *
 *   [0, 8) ─► [4, 8) ─► [6, 8)        worker 1 keeps [0, 1), and gives away [4, 8), [2, 4) and [1, 2)
 *        └─► [2, 4)   └─► [5, 6)
 */
import type { StartedTask } from '../futures/started-task.js';
import type { CallableTask } from '../task-module.js';
import { type Measured, type Ranges, takeRanges } from './take-ranges.js';

/**
 * Runs a range of the loop, and gives parts of it to other threads.
 * @param ranges state of the loop; its `counter` is 0 while the loop continues
 * @param give starts a task for a range, or returns `null` if it can't. This thread then runs the range
 * @returns the cost of this thread's part; a promise of it resolves once the given parts are done too
 */
export function splitRange(
  task: (...call: Parameters<CallableTask>) => unknown,
  args: unknown,
  begin: number,
  end: number,
  { counter, batch }: Pick<Ranges, 'counter' | 'batch'>,
  give: (begin: number, end: number) => StartedTask | null,
): Measured | Promise<Measured> {
  const given: StartedTask[] = [];
  let last = end;
  while (last - begin > batch && Atomics.load(counter, 0) === 0) {
    const middle = begin + batch * Math.ceil((last - begin) / batch / 2);
    const started = give(middle, last);
    if (!started) break;
    // Mark its promise as handled now, because this thread's own part may throw before the promise is awaited.
    started.silence();
    given.push(started);
    last = middle;
  }
  const isOver = Atomics.load(counter, 0) !== 0;
  let measured: Measured | Promise<Measured> = null;
  try {
    const own = new Int32Array([isOver ? last : begin]);
    measured = takeRanges(task, args, { counter: own, count: last, batch });
  } catch (error) {
    Atomics.store(counter, 0, 2 ** 30);
    throw error;
  }
  if (given.length === 0) return measured;
  return Promise.all([measured, ...given]).then(([mine]) => mine as Measured);
}
