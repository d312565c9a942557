import { hideWords } from '../occlusion/box-test.js';
import type { CoveredCells } from '../scene/primitive-store.js';
import type { RangeTask } from './range-loop.js';

/** Number of words in a range: at most 1,024 primitives, 0.1 ms. */
export const WORDS_PER_RANGE = 32;

/** Finds the hidden primitives of a view, in ranges of words. */
export class HideTask implements RangeTask {
  /** Result bits, by helper number. */
  readonly #helperBits: readonly Uint32Array[];
  #grid: CoveredCells | null = null;
  #bounds: Float32Array = new Float32Array(0);
  #seenBits: Uint32Array = new Uint32Array(0);
  #outBits: Uint32Array = new Uint32Array(0);
  #words = 0;

  constructor(helperBits: readonly Uint32Array[]) {
    this.#helperBits = helperBits;
  }

  /** Sets the inputs of the next loop. */
  begin(
    grid: CoveredCells,
    bounds: Float32Array,
    seenBits: Uint32Array,
    outBits: Uint32Array,
    words: number,
  ): void {
    this.#grid = grid;
    this.#bounds = bounds;
    this.#seenBits = seenBits;
    this.#outBits = outBits;
    this.#words = words;
  }

  run(range: number): void {
    const { numbers, depths, tiles } = this.#grid as CoveredCells;
    const begin = range * WORDS_PER_RANGE;
    hideWords(numbers, depths, tiles, this.#bounds, this.#seenBits, this.#outBits, begin, this.#endOf(range));
  }

  collect(range: number, helper: number): void {
    const bits = this.#helperBits[helper] as Uint32Array;
    const end = this.#endOf(range);
    for (let word = range * WORDS_PER_RANGE; word < end; word++) this.#outBits[word] = bits[word] as number;
  }

  #endOf(range: number): number {
    return Math.min((range + 1) * WORDS_PER_RANGE, this.#words);
  }
}
