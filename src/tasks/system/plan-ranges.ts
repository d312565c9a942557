/** Into which jobs a `parallelFor` is split (SYSTEMS T4, T12). */

import type { TaskFuture } from '../futures/task-future.js';
import { isPromise } from '../is-promise.js';
import { type Job, type JobRanges, jobOf, type LoadedModule } from '../job.js';
import { checkWhole, MAXIMUM_COUNT, type ParallelForOptions, readFlags } from '../task-options.js';
import type { TaskTarget } from '../task-sets.js';
import { fitBatch, type TaskCosts } from './task-costs.js';

/** Calls per worker, so that one that is slow holds nobody up for long. */
const CALLS_PER_WORKER = { balanced: 8, unbalanced: 32 };

/** Where no counter is shared: the most jobs per worker, each of as many calls as it takes. A million calls are no million jobs. */
const PARTS_PER_WORKER = 32;

interface RangePlan {
  readonly count: number;
  /** Indices per call. */
  readonly batch: number;
  /** Of one counter's range, where none is shared: the most jobs. */
  readonly parts: number;
  /** How many workers take ranges from one counter; 0: a job per range. */
  readonly takers: number;
  /** The first one halves its range, and others take the halves. */
  readonly isRecursive: boolean;
}

/** @param workers of the pool; 0: everything runs on one thread @param cost milliseconds per index, where known @throws OptionError */
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
    // Where indices cost very different times, the mean says little.
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
  /** Work of the caller's own, while others have begun already. */
  readonly preWork: (() => unknown) | undefined;
}

/** Jobs that end the future together, with the caller's work. */
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
  // One call takes its range from a counter as well, because that is measured; without a place in the queues' memory it is a plain job.
  if (counter && (calls > 1 || counter.number >= 0)) {
    // No worker is told more than the others: each takes the next range when it is done with one.
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
  // The caller's own work counts as one more, so that the future waits for it.
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
