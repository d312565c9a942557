import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportSuballocator, Suballocator } from './suballocator.js';
import { freeRangesOf, RangeModel, xorshift } from './suballocator.test-support.js';

describe('L6 suballocator', () => {
  it('allocates from the lowest offset and joins freed ranges', () => {
    const ranges = new Suballocator(512);
    expect(ranges.allocate(64)).toBe(0);
    expect(ranges.allocate(192)).toBe(64);
    expect(ranges.allocate(64)).toBe(256);
    expect(freeRangesOf(ranges)).toEqual([{ offset: 320, size: 192 }]);
    ranges.free(64);
    expect(freeRangesOf(ranges)).toEqual([
      { offset: 64, size: 192 },
      { offset: 320, size: 192 },
    ]);
    // The ranges are now as in the drawing of suballocator.ts, and the next call is the drawing's `allocate`.
    expect(ranges.allocate(100, 128)).toBe(128);
    expect(freeRangesOf(ranges)).toEqual([
      { offset: 64, size: 64 },
      { offset: 228, size: 28 },
      { offset: 320, size: 192 },
    ]);
    ranges.free(128);
    expect(freeRangesOf(ranges)).toEqual([
      { offset: 64, size: 192 },
      { offset: 320, size: 192 },
    ]);
    ranges.free(256);
    expect(freeRangesOf(ranges)).toEqual([{ offset: 64, size: 448 }]);
    ranges.free(0);
    expect(freeRangesOf(ranges)).toEqual([{ offset: 0, size: 512 }]);
    expect([ranges.usedSize, ranges.allocationCount]).toEqual([0, 0]);
  });

  it('takes the smallest free range that fits, not the first', () => {
    const ranges = new Suballocator(1000);
    for (const size of [300, 10, 100, 10, 200, 380]) ranges.allocate(size);
    ranges.free(0);
    ranges.free(310);
    ranges.free(420);
    expect(freeRangesOf(ranges)).toEqual([
      { offset: 0, size: 300 },
      { offset: 310, size: 100 },
      { offset: 420, size: 200 },
    ]);
    expect(ranges.allocate(90)).toBe(310);
    expect(ranges.allocate(150)).toBe(420);
    expect(ranges.allocate(300)).toBe(0);
    expect(ranges.allocate(51)).toBeUndefined();
    expect(ranges.allocate(50)).toBe(570);
    expect(freeRangesOf(ranges)).toEqual([{ offset: 400, size: 10 }]);
  });

  it('skips a range that would be large enough only without the alignment', () => {
    const ranges = new Suballocator(300);
    ranges.allocate(10);
    ranges.allocate(100);
    ranges.allocate(10);
    ranges.free(10);
    // The range 10 … 110 holds 100 units, but only 78 from the aligned offset 32 on. The last range fits, at 128.
    expect(ranges.allocate(100, 32)).toBe(128);
    expect(ranges.allocate(78, 32)).toBe(32);
  });

  it('aligns to a stride that is not a power of two', () => {
    const ranges = new Suballocator(480);
    ranges.allocate(50);
    expect(ranges.allocate(48, 48)).toBe(96);
  });

  it('L6 reports used and free sizes, and the fragmentation of the free space', () => {
    const ranges = new Suballocator(400);
    const figures = () => {
      const { usedSize, freeSize, freeRangeCount, largestFreeSize, fragmentation } =
        reportSuballocator(ranges);
      return [usedSize, freeSize, freeRangeCount, largestFreeSize, fragmentation];
    };
    expect(figures()).toEqual([0, 400, 1, 400, 0]);
    for (let i = 0; i < 4; i++) ranges.allocate(100);
    expect(figures()).toEqual([400, 0, 0, 0, 0]);
    ranges.free(0);
    ranges.free(200);
    expect(figures()).toEqual([200, 200, 2, 100, 0.5]);
    ranges.free(100);
    expect(figures()).toEqual([100, 300, 1, 300, 0]);
  });

  it('L6 finds the best fit among equal sizes, and across the borders of bins', () => {
    // Each doubling of the size has 16 bins: 64 … 67, 68 … 71 and so on.
    const ranges = new Suballocator(1000);
    for (const size of [67, 1, 68, 1, 64, 1, 67, 1, 730]) ranges.allocate(size);
    for (const offset of [0, 68, 137, 202]) ranges.free(offset);
    expect(ranges.allocate(65)).toBe(0);
    expect(ranges.allocate(65)).toBe(202);
    expect(ranges.allocate(65)).toBe(68);
    expect(ranges.allocate(65)).toBeUndefined();
    expect(ranges.allocate(64)).toBe(137);
    expect(freeRangesOf(ranges)).toEqual([
      { offset: 65, size: 2 },
      { offset: 133, size: 3 },
      { offset: 267, size: 2 },
    ]);
  });

  it('L6 supports capacities above 32 bits', () => {
    const ranges = new Suballocator(2 ** 53);
    expect(ranges.allocate(2 ** 40)).toBe(0);
    expect(ranges.allocate(2 ** 33, 2 ** 41)).toBe(2 ** 41);
    ranges.free(0);
    expect(freeRangesOf(ranges)).toEqual([
      { offset: 0, size: 2 ** 41 },
      { offset: 2 ** 41 + 2 ** 33, size: 2 ** 53 - 2 ** 41 - 2 ** 33 },
    ]);
  });

  it('refuses a double free, a foreign offset and an empty request', () => {
    const ranges = new Suballocator(100);
    ranges.allocate(50);
    ranges.free(0);
    expect(() => ranges.free(0)).toThrow(expect.objectContaining({ code: 'double-free' }));
    ranges.allocate(50);
    expect(() => ranges.free(10)).toThrow(/No allocated range begins at offset 10/);
    expect(() => ranges.allocate(0)).toThrow(expect.objectContaining({ code: 'bad-allocation' }));
    expect(() => ranges.allocate(1, 0)).toThrow(expect.objectContaining({ code: 'bad-allocation' }));
    expect(() => ranges.allocate(Number.NaN)).toThrow(expect.objectContaining({ code: 'bad-allocation' }));
  });

  it('agrees with a model that keeps one flag per unit', () => {
    const capacity = 96;
    const step = fc.oneof(
      fc.record({ size: fc.integer({ min: 1, max: 40 }), alignment: fc.constantFrom(1, 2, 3, 4, 8, 16) }),
      fc.record({ free: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const ranges = new Suballocator(capacity);
        const isUsed = new Array<boolean>(capacity).fill(false);
        const live = new Map<number, number>();
        const freeRanges = () => {
          const found: { offset: number; size: number }[] = [];
          for (let i = 0; i < capacity; i++) {
            if (isUsed[i]) continue;
            const offset = i;
            while (i < capacity && !isUsed[i]) i++;
            found.push({ offset, size: i - offset });
          }
          return found;
        };
        for (const step of steps) {
          if ('free' in step) {
            const offset = [...live.keys()][step.free % Math.max(1, live.size)];
            if (offset === undefined) continue;
            ranges.free(offset);
            isUsed.fill(false, offset, offset + (live.get(offset) ?? 0));
            live.delete(offset);
          } else {
            const { size, alignment } = step;
            const align = (value: number) => Math.ceil(value / alignment) * alignment;
            const best = freeRanges()
              .filter((range) => align(range.offset) + size <= range.offset + range.size)
              .sort((a, b) => a.size - b.size || a.offset - b.offset)[0];
            const offset = ranges.allocate(size, alignment);
            expect(offset).toBe(best === undefined ? undefined : align(best.offset));
            if (offset === undefined) continue;
            isUsed.fill(true, offset, offset + size);
            live.set(offset, size);
          }
          expect(freeRangesOf(ranges)).toEqual(freeRanges());
          expect(ranges.usedSize).toBe(isUsed.filter((used) => used).length);
        }
      }),
    );
  });

  it('L6 agrees with a model of sorted ranges in 20,000 random operations, and joins all ranges at the end', () => {
    const capacity = 60_000;
    const ranges = new Suballocator(capacity);
    const model = new RangeModel(capacity);
    const offsets: number[] = [];
    const random = xorshift(20260801);
    for (let i = 0; i < 20_000; i++) {
      if (offsets.length > 0 && (offsets.length > 120 || random() < 0.45)) {
        const [offset] = offsets.splice(Math.floor(random() * offsets.length), 1);
        ranges.free(offset);
        model.free(offset);
      } else {
        const size = 1 + Math.floor(random() ** 3 * 2000);
        const alignment = [1, 1, 4, 48, 256][Math.floor(random() * 5)];
        const offset = ranges.allocate(size, alignment);
        expect(offset, `operation ${i}`).toBe(model.allocate(size, alignment));
        if (offset !== undefined) offsets.push(offset);
      }
    }
    expect(freeRangesOf(ranges)).toEqual(model.freeRanges());
    for (const offset of offsets) ranges.free(offset);
    expect(freeRangesOf(ranges)).toEqual([{ offset: 0, size: capacity }]);
  });
});
