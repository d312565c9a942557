/** Into which jobs a `parallelFor` is split (SYSTEMS T4). */
import { type Job, type JobRanges, jobOf, type LoadedModule } from './job.js';
import type { TaskFuture } from './task-future.js';
import { checkWhole, MAXIMUM_COUNT, type ParallelForOptions, readFlags } from './task-options.js';
import type { TaskPlacement } from './task-sets.js';

/** Calls per worker, so that one that is slow holds nobody up for long. */
const CALLS_PER_WORKER = { balanced: 8, unbalanced: 32 };

/** Indices per call, checked. @param workers of the pool; 0: everything runs on one thread @throws OptionError */
export function batchOf(count: number, options: ParallelForOptions, workers: number): number {
  checkWhole('The count of parallelFor', count, 0, MAXIMUM_COUNT);
  const flags = readFlags(options.flags);
  if (flags.has('forced-single')) return Math.max(1, count);
  const calls = Math.max(1, workers) * CALLS_PER_WORKER[flags.has('unbalanced') ? 'unbalanced' : 'balanced'];
  const batch = Math.min(options.batch ?? Math.max(1, Math.ceil(count / calls)), Math.max(1, count));
  checkWhole('The batch of parallelFor', batch, 1, MAXIMUM_COUNT);
  return batch;
}

/** Jobs that end the future together. @param takers how many workers take ranges from one counter; 0: a job per range */
export function planRanges(
  module: LoadedModule,
  name: string,
  args: unknown,
  count: number,
  batch: number,
  takers: number,
  counterOf: (future: TaskFuture<unknown>) => Pick<JobRanges, 'counter' | 'number'>,
  placement: TaskPlacement,
  future: TaskFuture<unknown>,
): readonly Job[] {
  const calls = Math.ceil(count / batch);
  if (calls === 0) {
    future.resolve(undefined);
    return [];
  }
  const jobs: Job[] = [];
  let left = 0;
  const onDone = (): void => {
    if (--left === 0) future.resolve(undefined);
  };
  if (takers > 0 && calls > 1) {
    // No worker is told more than the others: each takes the next range when it is done with one.
    const ranges = { ...counterOf(future), count, batch };
    for (let taker = 0; taker < Math.min(takers, calls); taker++) {
      jobs.push(jobOf(module, name, args, 0, count, future, onDone, placement, ranges));
    }
  } else {
    for (let begin = 0; begin < count; begin += batch) {
      jobs.push(jobOf(module, name, args, begin, Math.min(begin + batch, count), future, onDone, placement));
    }
  }
  left = jobs.length;
  return jobs;
}
