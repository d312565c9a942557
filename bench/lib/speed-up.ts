/**
 * Predictions for a loop that is shared out to workers (SYSTEMS T10), from one run of it with one worker.
 *
 *   one worker   | serial | call | call | longest call | call … |
 *
 *   at most    work ÷ (serial + parallel ÷ n)                       Amdahl: all calls fall to the workers in equal shares
 *   at least   work ÷ (span + (work − span) ÷ n)                    work and span (Brent): the longest call begins last
 *
 * Workers that are as fast as the one lie in between, as far as each has a core.
 */

/** One run of a loop with one worker, in milliseconds. */
export interface LoopRun {
  /** From the call to the result. */
  readonly all: number;
  /** Duration of each call of the task. */
  readonly calls: readonly number[];
}

/** Parts of such a run, in milliseconds. */
export interface LoopParts {
  readonly work: number;
  /** The part that can't be shared out: order and result. */
  readonly serial: number;
  /** Serial part and longest call. */
  readonly span: number;
  /** Part of the work that is shared out, from 0 to 1. */
  readonly parallel: number;
}

/** All parts are of one run on one thread: times of several threads or runs would not add up. */
export function partsOf({ all, calls }: LoopRun): LoopParts {
  const shared = calls.reduce((sum, each) => sum + each, 0);
  const serial = all - shared;
  return { work: all, serial, span: serial + Math.max(...calls), parallel: shared / all };
}

/** The run that least else was in the way of. */
export const leastOf = <Run extends Pick<LoopRun, 'all'>>(runs: readonly Run[]): Run =>
  runs.reduce((least, run) => (run.all < least.all ? run : least));

/**
 * Amdahl's law: all of the serial part, and of the parallel part as much as falls to each.
 * @param parallel part of the time of one worker, from 0 to 1
 */
export const amdahl = (parallel: number, workers: number): number => 1 / (1 - parallel + parallel / workers);

/**
 * By work and span: what workers reach at least that are never idle while a call waits.
 * @param work all of it on one worker @param span serial part and longest call, in the same unit
 */
export const byWorkAndSpan = (work: number, span: number, workers: number): number =>
  work / (span + (work - span) / workers);
