/**
 * Predicts the speed-up of a loop that is distributed to workers (SYSTEMS T10), from one run with one worker.
 *
 *   one worker   | serial | call | call | longest call | call … |
 *
 *   at most    work ÷ (serial + parallel ÷ n)                       Amdahl: every worker gets an equal share of the calls
 *   at least   work ÷ (span + (work − span) ÷ n)                    work and span (Brent): the longest call begins last
 *
 * Workers of equal speed reach a value between both, if each has a core of its own.
 */

/** One run of a loop with one worker, in milliseconds. */
export interface LoopRun {
  /** Milliseconds from the call to the result. */
  readonly all: number;
  /** Duration of each call of the task. */
  readonly calls: readonly number[];
}

/** Parts of such a run, in milliseconds. */
export interface LoopParts {
  readonly work: number;
  /** Milliseconds of the part that can't be distributed: ordering and result. */
  readonly serial: number;
  /** Serial part and longest call. */
  readonly span: number;
  /** Share of the work that is distributed, from 0 to 1. */
  readonly parallel: number;
}

/** Returns the parts of one run on one thread. Times of several threads or runs would not add up. */
export function partsOf({ all, calls }: LoopRun): LoopParts {
  const shared = calls.reduce((sum, each) => sum + each, 0);
  const serial = all - shared;
  return { work: all, serial, span: serial + Math.max(...calls), parallel: shared / all };
}

/** Returns the shortest run, which other programs disturbed the least. */
export const leastOf = <Run extends Pick<LoopRun, 'all'>>(runs: readonly Run[]): Run =>
  runs.reduce((least, run) => (run.all < least.all ? run : least));

/**
 * Returns the speed-up of Amdahl's law: the whole serial part, and an equal share of the parallel part for each worker.
 *
 * @param parallel share of the work that is distributed, from 0 to 1
 */
export const amdahl = (parallel: number, workers: number): number => 1 / (1 - parallel + parallel / workers);

/**
 * Returns the speed-up by work and span, a lower bound for workers that are never idle while a call waits.
 *
 * @param work time of one worker
 * @param span serial part and longest call, in the same unit
 */
export const byWorkAndSpan = (work: number, span: number, workers: number): number =>
  work / (span + (work - span) / workers);
