/** Splits a `parallelFor` into jobs (SYSTEMS T4, T12). */

import { canShare } from '../arguments/shared-array.js';
import { isPromise } from '../futures/awaitable.js';
import type { TaskFuture } from '../futures/task-future.js';
import { type Job, type JobRanges, jobOf, type LoadedModule } from '../job.js';
import { checkWhole, MAXIMUM_COUNT, type ParallelForOptions, readFlags } from '../task-options.js';
import type { TaskTarget } from '../task-sets.js';

/** Calls per worker. There are several, so that a slow call does not delay the end for long. */
const CALLS_PER_WORKER = { balanced: 8, unbalanced: 32 };

/**
 * Largest number of jobs per worker without a shared counter. A job may make several calls, so that many calls need few
 * jobs.
 */
const PARTS_PER_WORKER = 32;

interface RangePlan {
  readonly count: number;
  /** Indices per call. */
  readonly batch: number;
  /** Largest number of jobs without a shared counter. */
  readonly parts: number;
  /** Number of workers that take ranges from one counter; 0 if each job has a range of its own. */
  readonly takers: number;
  /** Whether a single job begins the loop and gives halves of its range to other workers. */
  readonly isRecursive: boolean;
}

/**
 * Plans the ranges of a `parallelFor`.
 * @param workers number of workers; 0 if everything runs on one thread
 * @param cost measured milliseconds per index, or undefined
 * @throws OptionError
 */
export function planOf(
  count: number,
  options: ParallelForOptions,
  workers: number,
  isShared: boolean,
  cost: number | undefined,
): RangePlan {
  checkWhole('The count of parallelFor', count, 0, MAXIMUM_COUNT);
  const flags = readFlags(options.flags);
  const isRecursive = flags.has('recursive') && isShared && workers > 0;
  if (flags.has('forced-single'))
    return { count, batch: Math.max(1, count), parts: 1, takers: 0, isRecursive: false };
  const fitted = fitBatch(
    count,
    workers,
    CALLS_PER_WORKER[flags.has('unbalanced') ? 'unbalanced' : 'balanced'],
    // The mean is no useful estimate if the costs of indices differ much.
    flags.has('unbalanced') ? undefined : cost,
  );
  const { batch: given } = options;
  const batch = Math.min(given ?? fitted.batch, Math.max(1, count));
  const takers = given === undefined ? fitted.takers : workers;
  const parts = Math.max(1, workers) * PARTS_PER_WORKER;
  return { count, batch, parts, takers: isShared && workers > 0 ? takers : 0, isRecursive };
}

export interface RangeWork {
  readonly module: LoadedModule;
  readonly name: string;
  readonly args: unknown;
  readonly target: TaskTarget;
  readonly future: TaskFuture<unknown>;
  readonly plan: RangePlan;
  readonly counterOf: (future: TaskFuture<unknown>) => Pick<JobRanges, 'counter' | 'number'>;
  readonly costs: TaskCosts;
  /** The caller's own work, which runs after the workers have been notified. */
  readonly preWork: (() => unknown) | undefined;
}

/** Creates the jobs of a `parallelFor`. The future is done when all jobs and the caller's work are done. */
export function planRanges(work: RangeWork): { readonly jobs: readonly Job[]; readonly begin: () => void } {
  const { module, name, args, target, future, plan, costs, preWork } = work;
  const { count, batch, parts, takers, isRecursive } = plan;
  const calls = Math.ceil(count / batch);
  const jobs: Job[] = [];
  let left = 0;
  let milliseconds = 0;
  let indices = 0;
  const onOneDone = (): void => {
    if (--left > 0) return;
    costs.note(`${module.number} ${name}`, milliseconds, indices);
    future.resolve(undefined);
  };
  const onRangesDone = (measured: unknown): void => {
    if (Array.isArray(measured)) {
      milliseconds += measured[0];
      indices += measured[1];
    }
    onOneDone();
  };
  const counter = takers > 0 && calls > 0 ? work.counterOf(future) : null;
  // A counter in the task memory is used even for a single call. A counter with memory of its own (number −1) is used
  // only for several calls.
  if (counter && (calls > 1 || counter.number >= 0)) {
    // All workers get the same job: each takes the next range when it has finished its range.
    const ranges = { ...counter, count, batch, isRecursive: isRecursive && calls > 1 };
    for (let taker = 0; taker < (isRecursive ? 1 : Math.min(takers, calls)); taker++) {
      jobs.push(jobOf(module, name, args, 0, count, future, onRangesDone, target, ranges));
    }
  } else {
    const most = batch * Math.ceil(calls / parts);
    for (let begin = 0; begin < count; begin += most) {
      const end = Math.min(begin + most, count);
      if (end - begin > batch) {
        const own = { counter: new Int32Array([begin]), count: end, batch, number: -1, isRecursive: false };
        jobs.push(jobOf(module, name, args, begin, end, future, onRangesDone, target, own));
        continue;
      }
      const onDone = (_result: unknown, spent?: number): void => {
        if (spent !== undefined) {
          milliseconds += spent;
          indices += end - begin;
        }
        onOneDone();
      };
      jobs.push(jobOf(module, name, args, begin, end, future, onDone, target));
    }
  }
  // Count the caller's own work as one more job, so that the future waits for it.
  left = jobs.length + 1;
  const begin = (): void => {
    if (!preWork) {
      onOneDone();
      return;
    }
    try {
      const result = preWork();
      if (!isPromise(result)) onOneDone();
      else Promise.resolve(result).then(onOneDone, (error: unknown) => void future.fail(error));
    } catch (error) {
      future.fail(error);
    }
  };
  return { jobs, begin };
}

/**
 * Least work that justifies another worker, in milliseconds: its wake-up and the message at the end take tens of
 * microseconds.
 */
const WORTH = 0.1;
/** Least duration of a task's call, in milliseconds. */
const CALL = 0.05;
/** Number of recent loops that are remembered per task. A loop's age does not change its weight. */
const LOOPS = 8;
/**
 * A loop that costs this many times as much as most other loops is an outlier: its thread was preempted, or its code
 * was compiled. At most a quarter of the loops, rounded up, count as outliers. If more loops are so
 * expensive, the task itself is expensive.
 */
const STANDS_OUT = 4;

/**
 * The last loops of one task. A loop is counted or left out as a whole, because its indices may differ much in cost.
 */
class RecentLoops {
  readonly #milliseconds = new Float64Array(LOOPS);
  readonly #indices = new Float64Array(LOOPS);
  /** Positions of the loops in the arrays, the cheapest loop per index first. */
  readonly #order: number[] = [];
  #next = 0;

  add(milliseconds: number, indices: number): void {
    this.#milliseconds[this.#next] = milliseconds;
    this.#indices[this.#next] = indices;
    if (this.#order.length < LOOPS) this.#order.push(this.#next);
    this.#order.sort((a, b) => this.#costOf(a) - this.#costOf(b));
    this.#next = (this.#next + 1) % LOOPS;
  }

  /**
   * Returns the cost in milliseconds per index.
   * @param tick resolution of the clock in milliseconds; the loops together count as at least one tick
   */
  cost(tick: number): number {
    const loops = this.#order.length;
    const usual = loops === 1 ? 1 : loops - Math.ceil(loops / 4);
    let milliseconds = 0;
    let indices = 0;
    let limit = Number.POSITIVE_INFINITY;
    for (let rank = 0; rank < loops; rank++) {
      const place = this.#order[rank] as number;
      const spent = this.#milliseconds[place] as number;
      const count = this.#indices[place] as number;
      if (rank === usual) limit = (STANDS_OUT * milliseconds) / indices;
      if (rank >= usual && spent > limit * count + 2 * tick) continue;
      milliseconds += spent;
      indices += count;
    }
    // Times below the clock's resolution count as one tick. With a cost of 0, even the largest loop would become a
    // single call.
    return Math.max(milliseconds, tick) / indices;
  }

  #costOf(place: number): number {
    return (this.#milliseconds[place] as number) / (this.#indices[place] as number);
  }
}

/**
 * Measured costs of tasks, per index of a `parallelFor` or per `run` (SYSTEMS T12). `fitBatch` chooses batches by them:
 *
 *   cost per index ─┬─ the whole loop is worth one worker ──► one call
 *                   ├─ the loop is worth n workers ─────────► no more than n are woken
 *                   └─ a call would be too short ───────────► larger batches
 */
export class TaskCosts {
  /** Recent loops by module and task. */
  readonly #loops = new Map<string, RecentLoops>();

  /**
   * Records a loop.
   * @param milliseconds total time of all threads in the loop
   * @param indices number of indices in the loop
   */
  note(task: string, milliseconds: number, indices: number): void {
    if (!(indices > 0 && milliseconds >= 0)) return;
    const loops = this.#loops.get(task) ?? new RecentLoops();
    loops.add(milliseconds, indices);
    this.#loops.set(task, loops);
  }

  /** Returns the cost in milliseconds per index; undefined before the task's first `note`. */
  of(task: string): number | undefined {
    return this.#loops.get(task)?.cost(canShare() ? 0.005 : 0.1);
  }
}

/**
 * Chooses the batch size and the number of workers for a loop.
 * @param workers largest number of workers
 * @param callsPerWorker calls per worker, so that a slow call does not delay the end for long
 * @param cost milliseconds per index, or undefined
 */
export function fitBatch(
  count: number,
  workers: number,
  callsPerWorker: number,
  cost: number | undefined,
): { readonly batch: number; readonly takers: number } {
  const most = Math.max(1, workers);
  if (cost === undefined) return { batch: atLeastOne(count / (most * callsPerWorker)), takers: most };
  const takers = Math.min(most, Math.max(1, Math.floor((cost * count) / WORTH)));
  // One worker gets the whole loop in one call. If there are no workers, smaller calls let the page's event loop turn.
  if (takers === 1 && workers > 0 && cost * count < WORTH * 2) return { batch: Math.max(1, count), takers };
  const batch = Math.max(count / (takers * callsPerWorker), CALL / cost);
  return { batch: atLeastOne(Math.min(batch, count / takers)), takers };
}

const atLeastOne = (batch: number): number => Math.max(1, Math.ceil(batch));
