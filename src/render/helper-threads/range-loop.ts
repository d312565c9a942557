import {
  EPOCHS,
  PRODUCER,
  phaseOfRange,
  type RangeAtomics,
  RangePhase,
  RangeWord,
  rangeState,
  runnerOfRange,
  stateAt,
} from './range-memory.js';

/** Work on the ranges of a loop, on the thread that runs the loop. */
export interface RangeTask {
  /** Runs a range on this thread. */
  run(range: number): void;
  /** Collects the result of a range that a helper has run. */
  collect(range: number, helper: number): void;
}

/**
 * Number of times that the state of a running range is read before this thread takes the range back. The
 * reads take some microseconds.
 */
const MOST_READS = 500;

/**
 * Runs the loops of the render thread. Workers of the pool may take ranges as its helpers (SYSTEMS R13, T14).
 * The render thread takes ranges, too. If no range is left, it takes back ranges that helpers have begun but
 * not finished. So it never waits long for a helper, which may be asleep, not started or dead.
 *
 *   range      0        1        2        3
 *   render   ──run──           ──run──        take back? ──run──
 *   helper            ──run── done      ──run ········· not done in time: its result is ignored
 *
 * A helper writes only into its own memory, and the render thread reads only finished results. So a late helper
 * can do no harm. The result of a range depends only on the loop's arguments, so it is the same on every
 * thread.
 */
export class RangeLoop {
  readonly #words: Int32Array;
  readonly #wake: () => void;
  readonly #atomics: RangeAtomics;
  readonly #mostReads: number;
  #epoch = 0;
  /** Number of ranges of the last loop that helpers have run. */
  helped = 0;
  /** Number of ranges of the last loop that this thread has taken back from helpers. */
  takenBack = 0;

  /** @param wake wakes the sleeping workers that may take ranges */
  constructor(words: Int32Array, wake: () => void, atomics: RangeAtomics = Atomics, mostReads = MOST_READS) {
    this.#words = words;
    this.#wake = wake;
    this.#atomics = atomics;
    this.#mostReads = mostReads;
  }

  /** Runs all ranges. The arguments and numbers must be in the memory already. */
  run(ranges: number, task: RangeTask): void {
    this.#publish(ranges);
    this.helped = this.takenBack = 0;
    for (let range = this.#next(); range < ranges; range = this.#next()) this.#runIfFree(range, task);
    for (let range = 0; range < ranges; range++) this.#finish(range, task);
  }

  #publish(ranges: number): void {
    const words = this.#words;
    const atomics = this.#atomics;
    this.#epoch = (this.#epoch % EPOCHS) + 1;
    atomics.store(words, RangeWord.ranges, ranges);
    const free = rangeState(this.#epoch, PRODUCER, RangePhase.free);
    for (let range = 0; range < ranges; range++) atomics.store(words, stateAt(range), free);
    atomics.store(words, RangeWord.next, 0);
    atomics.store(words, RangeWord.epoch, this.#epoch);
    this.#wake();
  }

  #next(): number {
    return this.#atomics.add(this.#words, RangeWord.next, 1);
  }

  #runIfFree(range: number, task: RangeTask): void {
    const free = rangeState(this.#epoch, PRODUCER, RangePhase.free);
    if (this.#take(range, free)) task.run(range);
  }

  /** Takes a range for this thread. @param from expected state of the range */
  #take(range: number, from: number): boolean {
    const done = rangeState(this.#epoch, PRODUCER, RangePhase.done);
    // No other thread reads this thread's results, so the range counts as done at once.
    return this.#atomics.compareExchange(this.#words, stateAt(range), from, done) === from;
  }

  #finish(range: number, task: RangeTask): void {
    this.#runIfFree(range, task);
    let state = this.#stateOf(range);
    for (let read = 0; read < this.#mostReads && phaseOfRange(state) === RangePhase.running; read++) {
      state = this.#stateOf(range);
    }
    if (phaseOfRange(state) === RangePhase.running) {
      if (this.#take(range, state)) {
        this.takenBack++;
        task.run(range);
        return;
      }
      state = this.#stateOf(range);
    }
    const helper = runnerOfRange(state);
    if (helper === PRODUCER) return;
    this.helped++;
    task.collect(range, helper);
  }

  #stateOf(range: number): number {
    return this.#atomics.load(this.#words, stateAt(range));
  }
}
