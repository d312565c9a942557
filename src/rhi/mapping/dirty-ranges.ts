import { grow } from '../../core/memory/grow.js';

/** A word of marks whose 32 slots have all changed. */
const ALL_MARKED = 0xffffffff;

/**
 * Collects the changed slots of a GPU buffer and returns them as few, ascending ranges. Nearby slots are joined into
 * one range, because another write costs more than a few needless slots. If at least half of the slots from the first
 * to the last marked slot have changed, they become one range, unless `joinedGap` is 0.
 *   marked   ..##.#..........####..     gap of at most `joinedGap` slots: joined
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
  /** After `collect` or `find`, range `i` begins at slot `begins[i]` and ends before slot `ends[i]`. */
  begins = new Uint32Array(16);
  ends = new Uint32Array(16);
  count = 0;
  readonly #joinedGap: number;

  /** @param joinedGap largest number of unchanged slots between two ranges that are joined; 0 joins none */
  constructor(joinedGap = 16) {
    this.#joinedGap = joinedGap;
  }

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

  /** Marks the slots from `begin` to `end`; `end` itself is not marked. */
  markRange(begin: number, end: number): void {
    if (begin >= end) return;
    const last = (end - 1) >>> 5;
    if (last >= this.#bits.length) this.#bits = grow(this.#bits, last + 1);
    const bits = this.#bits;
    for (let word = begin >>> 5; word <= last; word++) {
      let mask = -1;
      if (word === begin >>> 5) mask &= -1 << (begin & 31);
      if (word === last) mask &= -1 >>> (31 - ((end - 1) & 31));
      const before = bits[word] as number;
      this.#marked += countBits(mask & ~before);
      bits[word] = before | mask;
    }
    this.#lowest = Math.min(this.#lowest, begin);
    this.#highest = Math.max(this.#highest, end - 1);
  }

  /** Per frame: turns the marked slots into ranges, and clears the marks. */
  collect(): void {
    this.find();
    this.clear();
  }

  clear(): void {
    if (this.#marked === 0) return;
    this.#bits.fill(0, this.#lowest >>> 5, (this.#highest >>> 5) + 1);
    this.#marked = 0;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#highest = -1;
  }

  /** Turns the marked slots into ranges, and keeps the marks. */
  find(): void {
    this.count = 0;
    if (this.#marked === 0) return;
    const bits = this.#bits;
    const lowest = this.#lowest;
    const highest = this.#highest;
    const gap = this.#joinedGap;
    const span = highest + 1 - lowest;
    if (this.#marked === span || (gap > 0 && this.#marked * 2 >= span)) this.#add(lowest, highest + 1);
    else {
      let begin = lowest;
      let end = lowest;
      for (let word = lowest >>> 5; word <= highest >>> 5; word++) {
        let rest = bits[word] as number;
        if (rest === ALL_MARKED) {
          if ((word << 5) - end > gap) {
            this.#add(begin, end);
            begin = word << 5;
          }
          end = (word + 1) << 5;
          continue;
        }
        while (rest !== 0) {
          const slot = (word << 5) + 31 - Math.clz32(rest & -rest);
          rest &= rest - 1;
          if (slot - end > gap) {
            this.#add(begin, end);
            begin = slot;
          }
          end = slot + 1;
        }
      }
      this.#add(begin, end);
    }
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

/** Returns the number of set bits (Warren, Hacker's Delight, section 5-1). */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
