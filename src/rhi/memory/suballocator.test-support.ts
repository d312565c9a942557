/**
 * A simple best-fit allocator. It keeps an array of free ranges, and searches the whole array for the smallest range
 * that fits. Tests and the benchmark compare `Suballocator` with it.
 */
import type { Suballocator } from './suballocator.js';

interface Range {
  readonly offset: number;
  readonly size: number;
}

export class RangeModel {
  readonly #used = new Map<number, number>();
  #free: Range[];

  constructor(capacity: number) {
    this.#free = [{ offset: 0, size: capacity }];
  }

  allocate(size: number, alignment = 1): number | undefined {
    let best: Range | undefined;
    let bestAt = 0;
    for (const range of this.#free) {
      const at = Math.ceil(range.offset / alignment) * alignment;
      if (at + size > range.offset + range.size || (best !== undefined && best.size <= range.size)) continue;
      best = range;
      bestAt = at;
    }
    if (best === undefined) return undefined;
    const { offset, size: bestSize } = best;
    const after = { offset: bestAt + size, size: offset + bestSize - bestAt - size };
    const pieces = [{ offset, size: bestAt - offset }, after].filter((piece) => piece.size > 0);
    this.#free.splice(this.#free.indexOf(best), 1, ...pieces);
    this.#used.set(bestAt, size);
    return bestAt;
  }

  free(offset: number): void {
    const size = this.#used.get(offset) ?? 0;
    this.#used.delete(offset);
    let begin = offset;
    let end = offset + size;
    for (const range of this.#free) {
      if (range.offset + range.size === offset) begin = range.offset;
      if (range.offset === offset + size) end = range.offset + range.size;
    }
    this.#free = this.#free.filter((range) => range.offset + range.size <= begin || range.offset >= end);
    this.#free.push({ offset: begin, size: end - begin });
    this.#free.sort((a, b) => a.offset - b.offset);
  }

  freeRanges(): Range[] {
    return this.#free;
  }
}

/**
 * Returns a generator of pseudo-random numbers above 0 and below 1. Equal seeds give equal numbers.
 * @param seed a whole number other than 0; the seed 0 gives only zeros
 */
export function xorshift(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Returns the free ranges in ascending order of their offsets. */
export function freeRangesOf(allocator: Suballocator): { offset: number; size: number }[] {
  const found: { offset: number; size: number }[] = [];
  allocator.forEachFree((offset, size) => found.push({ offset, size }));
  return found.sort((a, b) => a.offset - b.offset);
}
