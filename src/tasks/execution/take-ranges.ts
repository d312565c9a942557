import { eventTurn } from '../../core/events/event-turn.js';
import { isPromise } from '../futures/awaitable.js';
import type { StartedTask } from '../futures/started-task.js';
import type { CallableTask } from '../task-module.js';
import { SLICE } from '../task-queue.js';

/** A counter from which jobs take ranges. */
interface Ranges {
  /** An array whose only element is the next index. It is in shared memory if several threads take ranges from it. */
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
}

/**
 * Cost of a job and the number of its indices. `null` if the job ran no index, or if a call of the task returned a
 * promise. The time until that promise settles is not the cost of the task alone.
 */
type Measured = readonly [milliseconds: number, indices: number] | null;

/**
 * Called after each call of a task that returns no promise. Returns `null`, or a promise to await before the next call.
 */
export type Turn = () => Promise<unknown> | null;

/**
 * Returns a `Turn` that lets the event loop turn after each slice (`SLICE` milliseconds) of a job.
 * @param check called after each turn; ends the job by throwing
 */
export function turnsOfLoop(check: () => void): Turn {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE) return null;
    return eventTurn().then(() => {
      began = performance.now();
      check();
    });
  };
}

/**
 * Runs the task over ranges from the counter until none is left. If the task throws, the counter jumps to the
 * end, so that no thread runs the remaining ranges.
 * @returns the cost; a promise only if a call of the task or `turn` has returned one
 */
export function takeRanges(
  task: (...call: Parameters<CallableTask>) => unknown,
  args: unknown,
  ranges: Ranges,
  turn: Turn = () => null,
): Measured | Promise<Measured> {
  const { counter, count, batch } = ranges;
  const fail = (error: unknown): never => {
    Atomics.store(counter, 0, count);
    throw error;
  };
  const began = performance.now();
  let indices = 0;
  for (;;) {
    const begin = Atomics.add(counter, 0, batch);
    // The counter may have passed 2³¹, because every thread adds once more at the end.
    if (begin >= count || begin < 0) return indices === 0 ? null : [performance.now() - began, indices];
    const end = Math.min(begin + batch, count);
    let called: unknown;
    let pause: Promise<unknown> | null = null;
    try {
      called = task(args, begin, end);
      if (!isPromise(called)) pause = turn();
    } catch (error) {
      fail(error);
    }
    indices += end - begin;
    if (isPromise(called)) {
      return Promise.resolve(called).then(async () => {
        await takeRanges(task, args, ranges, turn);
        return null;
      }, fail);
    }
    if (pause) {
      const before = [performance.now() - began, indices] as const;
      return pause.then(async () => sumOf(before, await takeRanges(task, args, ranges, turn)), fail);
    }
  }
}

/** Adds the costs before and after a pause of `turn`. The pause itself is no cost of the task. */
function sumOf(before: readonly [number, number], rest: Measured): Measured {
  return rest ? [before[0] + rest[0], before[1] + rest[1]] : before;
}

/**
 * Recursive splitting of a `parallelFor` (SYSTEMS T4). Each worker gives away the upper half of its range until one
 * batch is left. So the workers that wake first wake the next workers.
 *
 *   [0, 8) ─► [4, 8) ─► [6, 8)        worker 1 keeps [0, 1), and gives away [4, 8), [2, 4) and [1, 2)
 *        └─► [2, 4)   └─► [5, 6)
 *
 * Runs a range of the loop, and gives parts of it to other threads.
 * @param ranges state of the loop; its `counter` is 0 while the loop continues
 * @param give starts a task for a range, or returns `null` if it can't. This thread then runs the range
 * @returns the cost of this thread's part. If parts were given away, a promise of the cost, which resolves once these
 *   parts are done as well
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
