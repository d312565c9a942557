import { grow } from './grow.js';

/** Largest number of unchanged slots between two ranges that are joined. */
const JOINED_GAP = 16;

/**
 * Collects the changed slots of a GPU buffer and returns them as few, ascending ranges. Nearby slots are
 * joined, because a write costs more than a few needless slots. If most of the span has changed, it becomes
 * one range.
 *   marked   ..##.#..........####..     gap of at most `JOINED_GAP` slots: joined
 *   ranges   ..[##.#]........[####]
 *
 * `mark` sets one bit per slot. `collect` scans only the words between the lowest and the highest marked
 * slot.
 */
export class DirtyRanges {
  #bits = new Uint32Array(8);
  #lowest = Number.POSITIVE_INFINITY;
  #highest = -1;
  #marked = 0;
  /** After `collect`: range `i` is slots `begins[i]` up to but without `ends[i]`. */
  begins = new Uint32Array(16);
  ends = new Uint32Array(16);
  count = 0;

  get isEmpty(): boolean {
    return this.#marked === 0;
  }

  /** Marks a changed slot. Called per changed slot. */
  mark(slot: number): void {
    const word = slot >>> 5;
    if (word >= this.#bits.length) this.#bits = grow(this.#bits, word + 1);
    const bit = 1 << (slot & 31);
    if (((this.#bits[word] as number) & bit) !== 0) return;
    this.#bits[word] = (this.#bits[word] as number) | bit;
    this.#marked++;
    if (slot < this.#lowest) this.#lowest = slot;
    if (slot > this.#highest) this.#highest = slot;
  }

  /** Per frame: turns the marked slots into ranges, and clears the marks. */
  collect(): void {
    this.count = 0;
    if (this.#marked === 0) return;
    const bits = this.#bits;
    const lowest = this.#lowest;
    const highest = this.#highest;
    if (this.#marked * 2 > highest - lowest) this.#add(lowest, highest + 1);
    else {
      let begin = lowest;
      let end = lowest;
      for (let word = lowest >>> 5; word <= highest >>> 5; word++) {
        let rest = bits[word] as number;
        while (rest !== 0) {
          const slot = (word << 5) + 31 - Math.clz32(rest & -rest);
          rest &= rest - 1;
          if (slot - end > JOINED_GAP) {
            this.#add(begin, end);
            begin = slot;
          }
          end = slot + 1;
        }
      }
      this.#add(begin, end);
    }
    bits.fill(0, lowest >>> 5, (highest >>> 5) + 1);
    this.#marked = 0;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#highest = -1;
  }

  #add(begin: number, end: number): void {
    if (this.count === this.begins.length) {
      this.begins = grow(this.begins, this.count + 1);
      this.ends = grow(this.ends, this.count + 1);
    }
    this.begins[this.count] = begin;
    this.ends[this.count++] = end;
  }
}
