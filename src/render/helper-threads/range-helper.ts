import { type RangeAtomics, RangePhase, RangeWord, rangeState, stateAt } from './range-memory.js';

/**
 * A helper's part in the render thread's loops: takes ranges of the current loop until none is left.
 *
 *   free ── compare-exchange ──► running, by this helper ── result in its memory ── compare-exchange ──► done, by this helper
 *
 * The arguments are read before a range is taken. If a range could then be taken, the loop had not ended, so the
 * arguments belong to that loop.
 */
export class RangeHelper {
  readonly #words: Int32Array;
  readonly #atomics: RangeAtomics;
  /** Number of the helper, from 1 on. */
  readonly #number: number;
  /** Epoch of the last loop in which `help` found no range left. */
  #endedEpoch = 0;

  constructor(words: Int32Array, number: number, atomics: RangeAtomics = Atomics) {
    this.#words = words;
    this.#number = number;
    this.#atomics = atomics;
  }

  /** Whether a loop has begun since `help` last found no range left. */
  get hasNewLoop(): boolean {
    return this.#atomics.load(this.#words, RangeWord.epoch) !== this.#endedEpoch;
  }

  /**
   * Takes and runs ranges of the current loop.
   * @param prepare reads the arguments; returns null if a memory that they name has not arrived, so that no
   * range can be taken
   * @returns the number of ranges that were run; −1: a memory was missing
   */
  help(prepare: () => ((range: number) => void) | null): number {
    const words = this.#words;
    const atomics = this.#atomics;
    const epoch = atomics.load(words, RangeWord.epoch);
    if (epoch === this.#endedEpoch) return 0;
    const ranges = atomics.load(words, RangeWord.ranges);
    const run = prepare();
    if (!run) return -1;
    let count = 0;
    for (;;) {
      const range = atomics.add(words, RangeWord.next, 1);
      if (range >= ranges) break;
      if (this.runIfFree(epoch, range, run)) count++;
    }
    this.#endedEpoch = epoch;
    return count;
  }

  /** Runs the range if it is free. @returns whether it was free */
  protected runIfFree(epoch: number, range: number, run: (range: number) => void): boolean {
    const free = rangeState(epoch, 0, RangePhase.free);
    const running = rangeState(epoch, this.#number, RangePhase.running);
    if (!this.change(range, free, running)) return false;
    run(range);
    // This fails if the render thread has taken the range back.
    this.change(range, running, rangeState(epoch, this.#number, RangePhase.done));
    return true;
  }

  protected change(range: number, from: number, to: number): boolean {
    return this.#atomics.compareExchange(this.#words, stateAt(range), from, to) === from;
  }
}
