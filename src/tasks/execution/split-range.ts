/**
 * Recursive splitting of a `parallelFor` (SYSTEMS T4): whoever has a range gives its upper half away until a batch is left, so that
 * the workers which are woken first wake the next ones.
 *
 *   [0, 8) ─► [4, 8) ─► [6, 8)        worker 1 keeps [0, 1), and gives away [4, 8), [2, 4) and [1, 2)
 *        └─► [2, 4)   └─► [5, 6)
 */
import type { StartedTask } from '../futures/started-task.js';
import type { CallableTask } from '../task-module.js';
import { type Measured, type Ranges, takeRanges } from './take-ranges.js';

/**
 * @param ranges the counter says only whether the loop goes on: 0
 * @param give a range to others; null: there is no room for it, and it is done here
 * @returns when all of it is done, with what this thread's part has cost
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
    // Also where this thread's own part throws first.
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
