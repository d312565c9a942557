/**
 * The words that the render thread and its helpers share: one loop at a time, in ranges, each with a state of its own.
 *
 *   │ epoch │ bell │ next │ ranges │ arguments … │ numbers (24 doubles) │ state of range 0 │ state of range 1 │ …
 *                                                                         epoch · runner · phase
 *
 * A state changes by compare-exchange alone and names its epoch: whoever is late finds another one, and changes nothing.
 */
export enum RangeWord {
  epoch = 0,
  /** Rises with each loop; helpers sleep on it. */
  bell = 1,
  /** The range that is to be taken next; only a hint. */
  next = 2,
  ranges = 3,
  arguments = 4,
}

/** The most arguments of a loop. */
const RANGE_ARGUMENTS = 12;
/** Where the 24 doubles begin, in words. */
const NUMBERS = RangeWord.arguments + RANGE_ARGUMENTS;
const RANGE_NUMBERS = 24;
const STATES = NUMBERS + RANGE_NUMBERS * 2;
/** The most ranges of a loop. */
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
/** Epochs are 1 to this, again and again. */
export const EPOCHS = 2 ** 22 - 1;
/** The render thread; helpers are numbered from 1. */
export const PRODUCER = 0;

export const rangeState = (epoch: number, runner: number, phase: RangePhase): number =>
  (epoch << (PHASE_BITS + RUNNER_BITS)) | (runner << PHASE_BITS) | phase;
export const phaseOfRange = (state: number): number => state & 3;
export const runnerOfRange = (state: number): number => (state >> PHASE_BITS) & 127;

export const numbersOf = (buffer: SharedArrayBuffer): Float64Array =>
  new Float64Array(buffer, NUMBERS * 4, RANGE_NUMBERS);

/** The atomics that loops use; tests interrupt them. */
export type RangeAtomics = Pick<typeof Atomics, 'load' | 'store' | 'add' | 'compareExchange' | 'notify'>;
