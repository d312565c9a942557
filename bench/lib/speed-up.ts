/** What laws predict of a loop that is shared out to workers (SYSTEMS T10). */

/**
 * Amdahl's law: all of the serial part, and of the parallel part as much as falls to each.
 * @param parallel part of the time of one worker, from 0 to 1
 */
export const amdahl = (parallel: number, workers: number): number => 1 / (1 - parallel + parallel / workers);

/**
 * By work and span: nobody is faster than what can't be shared out.
 * @param work all of it on one worker @param span serial part and longest call, in the same unit
 */
export const byWorkAndSpan = (work: number, span: number, workers: number): number =>
  work / (span + (work - span) / workers);
