/**
 * Allocates ranges of one big buffer to many small objects (SYSTEMS L6). The allocator only computes offsets, and never
 * accesses memory. It takes the best fit: the smallest free range that holds the request. Among ranges of equal size,
 * it takes the lowest offset. A freed range joins its free neighbours at once, so two free ranges never touch. Space
 * that alignment skips stays free.
 *
 *   offset   0         64            256       320                 512
 *            │  used   │  free 192   │  used   │     free 192       │     all ranges: a list in this order
 *   allocate(100, 128) ─► 128: both free ranges fit, the lower one is taken; 64 … 128 and 228 … 256 stay free
 *
 * Free ranges are also kept in bins by size, with 16 bins for each doubling of the size. A bin is sorted by size, then
 * by offset, so the best fit is found by a search in one short array. Allocating and freeing allocate no memory except
 * when a table grows.
 *
 * Offsets and sizes are whole numbers in the unit of the capacity. Callers use the release queue or frame numbers to
 * delay `free` until the GPU no longer reads the range.
 */
import { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';

const NONE = -1;
const double = /* @__PURE__ */ new Float64Array(1);
const doubleWords = /* @__PURE__ */ new Uint32Array(double.buffer);

/**
 * Returns the bin of a size: the exponent and the upper four fraction bits of the double. Reading these bits is cheaper
 * than a logarithm.
 */
function binOf(size: number): number {
  double[0] = size;
  return (doubleWords[1] >> 16) - (1023 << 4);
}
const BIN_WORDS = 27;

function checkSizes(size: number, alignment: number): void {
  if (isSize(size) && isSize(alignment)) return;
  throw new RhiError(
    'bad-allocation',
    `A range has the size ${size} and the alignment ${alignment}. Make both whole numbers from 1 to 2^53.`,
  );
}

function isSize(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 2 ** 53;
}

export class Suballocator {
  readonly capacity: number;
  usedSize = 0;
  // Properties of ranges, used or free, by range number. `#before` and `#after` are the neighbours in memory.
  readonly #offsets: number[] = [];
  readonly #sizes: number[] = [];
  readonly #before: number[] = [];
  readonly #after: number[] = [];
  readonly #isFree: boolean[] = [];
  /** Range numbers for reuse; their former ranges were joined to neighbours. */
  readonly #spare: number[] = [];
  /** Range numbers by bin; the first `#counts[bin]` entries are valid. */
  readonly #bins: (Int32Array | undefined)[] = [];
  readonly #counts = new Uint32Array(BIN_WORDS * 32);
  /** One bit per bin, set if the bin has ranges. */
  readonly #occupied = new Uint32Array(BIN_WORDS);
  /** Allocated ranges, by offset. */
  readonly #used = new Map<number, number>();

  /** @param capacity 1 to 2^53 @throws RhiError `bad-allocation` */
  constructor(capacity: number) {
    checkSizes(capacity, 1);
    this.capacity = capacity;
    this.#addFree(this.#insert(NONE, 0, capacity, NONE));
  }

  get allocationCount(): number {
    return this.#used.size;
  }

  /**
   * Allocates a range.
   * @param size at least 1
   * @param alignment alignment of the offset; any whole number from 1, such as a vertex stride
   * @returns the offset, or undefined if no free range fits
   * @throws RhiError `bad-allocation`
   */
  allocate(size: number, alignment = 1): number | undefined {
    checkSizes(size, alignment);
    let bin = binOf(size);
    let i = this.#firstAtLeast(bin, size, 0);
    for (; bin !== NONE; bin = this.#nextOccupied(bin + 1), i = 0) {
      const ranges = this.#bins[bin];
      const count = this.#counts[bin];
      for (; ranges && i < count; i++) {
        const range = ranges[i];
        const begin = this.#offsets[range];
        const offset = Math.ceil(begin / alignment) * alignment;
        const end = offset + size;
        const rest = begin + this.#sizes[range] - end;
        if (rest < 0) continue;
        this.#takeAt(ranges, i, bin);
        if (offset > begin) this.#addFree(this.#insert(this.#before[range], begin, offset - begin, range));
        if (rest > 0) this.#addFree(this.#insert(range, end, rest, this.#after[range]));
        this.#offsets[range] = offset;
        this.#sizes[range] = size;
        this.#used.set(offset, range);
        this.usedSize += size;
        return offset;
      }
    }
    return undefined;
  }

  /** Frees the range at an offset. @throws RhiError `double-free` if no range is allocated at this offset */
  free(offset: number): void {
    const range = this.#used.get(offset);
    if (range === undefined) {
      throw new RhiError(
        'double-free',
        `No allocated range begins at offset ${offset}: it was freed before, or the offset is wrong. Free each range once, at the offset that allocate returned.`,
      );
    }
    this.#used.delete(offset);
    this.usedSize -= this.#sizes[range];
    const before = this.#before[range];
    if (this.#isFree[before]) {
      this.#offsets[range] = this.#offsets[before];
      this.#absorb(range, before);
    }
    const after = this.#after[range];
    if (this.#isFree[after]) this.#absorb(range, after);
    this.#addFree(range);
  }

  /** Calls `visit` with every free range, in no particular order. For reports and tests. */
  forEachFree(visit: (offset: number, size: number) => void): void {
    this.#isFree.forEach((isFree, range) => {
      if (isFree) visit(this.#offsets[range], this.#sizes[range]);
    });
  }

  /** Adds a free neighbour to `range`, and removes the neighbour. */
  #absorb(range: number, neighbour: number): void {
    const size = this.#sizes[neighbour];
    const bin = binOf(size);
    const offset = this.#offsets[neighbour];
    this.#takeAt(this.#bins[bin] as Int32Array, this.#firstAtLeast(bin, size, offset), bin);
    this.#sizes[range] += size;
    this.#link(this.#before[neighbour], this.#after[neighbour]);
    this.#spare.push(neighbour);
  }

  /** Inserts a range between two neighbours. Returns the number of the new range. */
  #insert(before: number, offset: number, size: number, after: number): number {
    const range = this.#spare.pop() ?? this.#offsets.length;
    this.#offsets[range] = offset;
    this.#sizes[range] = size;
    this.#link(before, range);
    this.#link(range, after);
    return range;
  }

  #link(before: number, after: number): void {
    if (before !== NONE) this.#after[before] = after;
    if (after !== NONE) this.#before[after] = before;
  }

  #addFree(range: number): void {
    const size = this.#sizes[range];
    const bin = binOf(size);
    const place = this.#firstAtLeast(bin, size, this.#offsets[range]);
    const count = this.#counts[bin]++;
    let ranges = this.#bins[bin];
    if (ranges === undefined || count === ranges.length) {
      const larger = new Int32Array(count * 2 + 8);
      if (ranges) larger.set(ranges);
      ranges = this.#bins[bin] = larger;
    }
    ranges.copyWithin(place + 1, place, count);
    ranges[place] = range;
    this.#occupied[bin >> 5] |= 1 << bin;
    this.#isFree[range] = true;
  }

  #takeAt(ranges: Int32Array, place: number, bin: number): void {
    this.#isFree[ranges[place]] = false;
    ranges.copyWithin(place, place + 1, this.#counts[bin]--);
    if (this.#counts[bin] === 0) this.#occupied[bin >> 5] &= ~(1 << bin);
  }

  /** Returns the first bin from `bin` on that has ranges; `NONE` if there is none. */
  #nextOccupied(bin: number): number {
    let mask = -1 << bin;
    for (let word = bin >> 5; word < BIN_WORDS; word++) {
      const bits = this.#occupied[word] & mask;
      if (bits !== 0) return word * 32 + 31 - Math.clz32(bits & -bits);
      mask = -1;
    }
    return NONE;
  }

  /** Returns the index of the bin's first range that follows (size, offset) in the bin's order, or equals it. */
  #firstAtLeast(bin: number, size: number, offset: number): number {
    const ranges = this.#bins[bin];
    let low = 0;
    let high = this.#counts[bin];
    while (ranges && low < high) {
      const middle = (low + high) >> 1;
      const range = ranges[middle];
      const difference = this.#sizes[range] - size;
      if (difference < 0 || (difference === 0 && this.#offsets[range] < offset)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Statistics of a suballocator, in the unit of its capacity. */
export interface SuballocatorReport {
  readonly allocationCount: number;
  readonly usedSize: number;
  readonly freeSize: number;
  readonly freeRangeCount: number;
  /** The largest request of alignment 1 that would succeed. */
  readonly largestFreeSize: number;
  /**
   * Share of the free space outside the largest free range: 0 for a single free range, close to 1 for many small
   * ranges.
   */
  readonly fragmentation: number;
}

/**
 * Returns statistics. The function visits every range, so do not call it each frame.
 * @throws OptionError `option-invalid`
 */
export function reportSuballocator(allocator: Suballocator): SuballocatorReport {
  const what = 'The suballocator of reportSuballocator';
  checkOption(what, allocator, allocator instanceof Suballocator, 'an instance of Suballocator');
  let freeRangeCount = 0;
  let largestFreeSize = 0;
  allocator.forEachFree((_, size) => {
    freeRangeCount++;
    largestFreeSize = Math.max(largestFreeSize, size);
  });
  const { allocationCount, usedSize } = allocator;
  const freeSize = allocator.capacity - usedSize;
  const fragmentation = freeSize === 0 ? 0 : 1 - largestFreeSize / freeSize;
  return { allocationCount, usedSize, freeSize, freeRangeCount, largestFreeSize, fragmentation };
}
