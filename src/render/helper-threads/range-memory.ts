/**
 * The words that the render thread and its helpers share. They hold one loop at a time, and a state for each
 * of its ranges.
 *   │ epoch │ next │ ranges │ – │ arguments … │ numbers (24 doubles) │ state of range 0 │ state of range 1 │ …
 *                                                                         epoch · runner · phase
 *
 * During a loop, a state changes only by compare-exchange. It contains the loop's epoch, so a late thread
 * finds another epoch and changes nothing.
 */
export enum RangeWord {
  /**
   * Number of the loop. A worker that is awake compares it with its last epoch. A worker that sleeps is woken through
   * the pool.
   */
  epoch = 0,
  /** The range to take next. The number is only a hint, because the states decide. */
  next = 1,
  ranges = 2,
  arguments = 4,
}

/** Maximum number of arguments of a loop. */
const RANGE_ARGUMENTS = 12;
/** Offset of the 24 doubles, in words. */
const NUMBERS = RangeWord.arguments + RANGE_ARGUMENTS;
const RANGE_NUMBERS = 24;
const STATES = NUMBERS + RANGE_NUMBERS * 2;
/** Maximum number of ranges of a loop. */
export const MOST_RANGES = 512;

export const RANGE_MEMORY_BYTES = (STATES + MOST_RANGES) * 4;

export const stateAt = (range: number): number => STATES + range;

export enum RangePhase {
  free = 0,
  running = 1,
  done = 2,
}

const PHASE_BITS = 2;
const RUNNER_BITS = 7;
/** The last epoch. After it, epochs begin again at 1. */
export const EPOCHS = 2 ** 22 - 1;
/** Runner number of the render thread. Helpers are numbered from 1. */
export const PRODUCER = 0;

export const rangeState = (epoch: number, runner: number, phase: RangePhase): number =>
  (epoch << (PHASE_BITS + RUNNER_BITS)) | (runner << PHASE_BITS) | phase;
export const phaseOfRange = (state: number): number => state & 3;
export const runnerOfRange = (state: number): number => (state >> PHASE_BITS) & 127;

export const numbersOf = (buffer: SharedArrayBuffer): Float64Array =>
  new Float64Array(buffer, NUMBERS * 4, RANGE_NUMBERS);

/** The atomics that loops use. Tests replace them to interrupt threads. */
export type RangeAtomics = Pick<typeof Atomics, 'load' | 'store' | 'add' | 'compareExchange'>;
