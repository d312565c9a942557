import { type RangeAtomics, RangePhase, RangeWord, rangeState, stateAt } from './range-memory.js';

/**
 * A helper's part in the render thread's loops: takes ranges of the loop that is under way, until none is left.
 *
 *   free ── compare-exchange ──► running, by me ── what it gives is in my memory ── compare-exchange ──► done, by me
 *
 * The arguments are read before a range is taken. Where one could be taken, the loop was not over, so they were its own.
 */
export class RangeHelper {
  readonly #words: Int32Array;
  readonly #atomics: RangeAtomics;
  /** From 1 on. */
  readonly #number: number;
  /** The last loop in which nothing was left to take. */
  #endedEpoch = 0;

  constructor(words: Int32Array, number: number, atomics: RangeAtomics = Atomics) {
    this.#words = words;
    this.#number = number;
    this.#atomics = atomics;
  }

  /** To be read before `help`: sleep while it is the same. */
  get bell(): number {
    return this.#atomics.load(this.#words, RangeWord.bell);
  }

  /**
   * @param prepare reads the arguments; null: what they name is not here yet, so nothing can be taken
   * @returns how many ranges it has run; −1: something was missing
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

  /** @returns whether it was this helper's to run */
  protected runIfFree(epoch: number, range: number, run: (range: number) => void): boolean {
    const free = rangeState(epoch, 0, RangePhase.free);
    const running = rangeState(epoch, this.#number, RangePhase.running);
    if (!this.change(range, free, running)) return false;
    run(range);
    // Fails where the render thread has taken it back.
    this.change(range, running, rangeState(epoch, this.#number, RangePhase.done));
    return true;
  }

  protected change(range: number, from: number, to: number): boolean {
    return this.#atomics.compareExchange(this.#words, stateAt(range), from, to) === from;
  }
}
