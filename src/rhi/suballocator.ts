/**
 * Hands out ranges of one big buffer to many small things (SYSTEMS L6): offsets only, it never sees memory.
 * Best fit: the smallest free range that holds the request, the lowest offset among equals. A freed range joins
 * its free neighbours at once, so two free ranges never touch. What alignment skips stays free.
 *
 *   offset   0         64            256       320                 512
 *            │  used   │  free 192   │  used   │     free 192       │
 *   allocate(100, 128) ─► 128: both fit, the lower wins; 64 … 128 and 228 … 256 stay free
 *
 * Offsets and sizes are whole numbers in whatever unit the capacity has. What the GPU may still read is freed
 * through the release queue first.
 */
import { RhiError } from '../core/errors.js';

/** Free ranges ordered by size, then offset: two columns of one table. */
interface Bin {
  readonly sizes: number[];
  readonly offsets: number[];
}

const BINS_PER_OCTAVE = 4;
const binOf = (size: number): number => Math.floor(Math.log2(size) * BINS_PER_OCTAVE);

export class Suballocator {
  #capacity = 0;
  #usedSize = 0;
  /** Free ranges by size: a bin holds sizes up to a quarter of an octave apart, so that insertion moves little. */
  readonly #bins: Bin[] = Array.from({ length: binOf(Number.MAX_SAFE_INTEGER) + 1 }, () => ({
    sizes: [],
    offsets: [],
  }));
  /** Free ranges by where they begin, and by where they end. */
  readonly #sizeByOffset = new Map<number, number>();
  readonly #sizeByEnd = new Map<number, number>();
  /** Sizes of what is handed out, by offset. */
  readonly #used = new Map<number, number>();

  constructor(capacity: number) {
    this.grow(capacity);
  }

  get capacity(): number {
    return this.#capacity;
  }

  get usedSize(): number {
    return this.#usedSize;
  }

  get freeSize(): number {
    return this.#capacity - this.#usedSize;
  }

  get allocationCount(): number {
    return this.#used.size;
  }

  /** The largest request of alignment 1 that would succeed. */
  get largestFreeSize(): number {
    for (let bin = this.#bins.length - 1; bin >= 0; bin--) {
      const { sizes } = this.#bins[bin];
      if (sizes.length > 0) return sizes[sizes.length - 1];
    }
    return 0;
  }

  /** 0: all that is free is one range; towards 1: it is splinters. */
  get fragmentation(): number {
    return this.freeSize === 0 ? 0 : 1 - this.largestFreeSize / this.freeSize;
  }

  /** Free ranges from the lowest offset up, for reports and tests. */
  freeRanges(): { offset: number; size: number }[] {
    return [...this.#sizeByOffset]
      .map(([offset, size]) => ({ offset, size }))
      .sort((a, b) => a.offset - b.offset);
  }

  /**
   * @param size at least 1
   * @param alignment of the offset; any whole number from 1, so a vertex stride will do
   * @returns the offset, or undefined when no free range fits
   */
  allocate(size: number, alignment = 1): number | undefined {
    if (!(size >= 1 && alignment >= 1)) {
      throw new RhiError(
        'bad-allocation',
        `A range of size ${size} and alignment ${alignment} was asked for; both must be at least 1.`,
      );
    }
    const firstBin = binOf(size);
    for (let bin = firstBin; bin < this.#bins.length; bin++) {
      const { sizes, offsets } = this.#bins[bin];
      for (let i = bin === firstBin ? firstAtLeast(this.#bins[bin], size, 0) : 0; i < sizes.length; i++) {
        const begin = offsets[i];
        const end = begin + sizes[i];
        const offset = Math.ceil(begin / alignment) * alignment;
        if (offset + size > end) continue;
        this.#removeFree(begin, end - begin);
        if (offset > begin) this.#addFree(begin, offset - begin);
        if (end > offset + size) this.#addFree(offset + size, end - offset - size);
        this.#used.set(offset, size);
        this.#usedSize += size;
        return offset;
      }
    }
    return undefined;
  }

  /** @throws RhiError `double-free` when nothing is handed out at this offset */
  free(offset: number): void {
    const size = this.#used.get(offset);
    if (size === undefined) {
      throw new RhiError(
        'double-free',
        `Nothing is allocated at offset ${offset}: it was freed before, or is not where a range begins.`,
      );
    }
    this.#used.delete(offset);
    this.#usedSize -= size;
    this.#addJoined(offset, size);
  }

  /** The size handed out at an offset; undefined when nothing is. */
  sizeAt(offset: number): number | undefined {
    return this.#used.get(offset);
  }

  /** Adds room at the end; offsets handed out stay. Smaller capacities change nothing. */
  grow(capacity: number): void {
    const added = capacity - this.#capacity;
    if (added <= 0) return;
    const end = this.#capacity;
    this.#capacity = capacity;
    this.#addJoined(end, added);
  }

  #addJoined(offset: number, size: number): void {
    let begin = offset;
    let end = offset + size;
    const sizeBefore = this.#sizeByEnd.get(begin);
    if (sizeBefore !== undefined) {
      begin -= sizeBefore;
      this.#removeFree(begin, sizeBefore);
    }
    const sizeAfter = this.#sizeByOffset.get(end);
    if (sizeAfter !== undefined) {
      this.#removeFree(end, sizeAfter);
      end += sizeAfter;
    }
    this.#addFree(begin, end - begin);
  }

  #addFree(offset: number, size: number): void {
    const bin = this.#bins[binOf(size)];
    const i = firstAtLeast(bin, size, offset);
    bin.sizes.splice(i, 0, size);
    bin.offsets.splice(i, 0, offset);
    this.#sizeByOffset.set(offset, size);
    this.#sizeByEnd.set(offset + size, size);
  }

  #removeFree(offset: number, size: number): void {
    const bin = this.#bins[binOf(size)];
    const i = firstAtLeast(bin, size, offset);
    bin.sizes.splice(i, 1);
    bin.offsets.splice(i, 1);
    this.#sizeByOffset.delete(offset);
    this.#sizeByEnd.delete(offset + size);
  }
}

/** Index of the first range that is not before (size, offset) in the bin's order. */
function firstAtLeast({ sizes, offsets }: Bin, size: number, offset: number): number {
  let low = 0;
  let high = sizes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sizes[middle] < size || (sizes[middle] === size && offsets[middle] < offset)) low = middle + 1;
    else high = middle;
  }
  return low;
}
