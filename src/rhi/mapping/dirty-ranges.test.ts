import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DirtyRanges } from './dirty-ranges.js';

function collect(slots: readonly number[], dirty = new DirtyRanges()): number[][] {
  for (const slot of slots) dirty.mark(slot);
  dirty.collect();
  return Array.from({ length: dirty.count }, (_, range) => [dirty.begins[range]!, dirty.ends[range]!]);
}

describe('M4 dirty ranges', () => {
  it('joins nearby slots and keeps distant slots apart', () => {
    expect(collect([])).toEqual([]);
    expect(collect([7])).toEqual([[7, 8]]);
    expect(collect([100, 3, 5])).toEqual([
      [3, 6],
      [100, 101],
    ]);
    expect(collect([0, 17, 34, 200])).toEqual([
      [0, 35],
      [200, 201],
    ]);
    expect(collect([0, 18, 300])).toEqual([
      [0, 1],
      [18, 19],
      [300, 301],
    ]);
  });

  it('returns one range if most of the span is dirty', () => {
    const slots = Array.from({ length: 100 }, (_, index) => index).filter(
      (index) => index < 20 || index > 45,
    );
    expect(collect(slots)).toEqual([[0, 100]]);
  });

  it('marks ranges as it marks slots, and joins only neighbours without a gap', () => {
    const range = fc.tuple(fc.nat(300), fc.nat(90));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
        const [byRange, bySlot] = [new DirtyRanges(0), new DirtyRanges(0)];
        for (const [begin, length] of ranges) {
          byRange.markRange(begin, begin + length);
          for (let slot = begin; slot < begin + length; slot++) bySlot.mark(slot);
        }
        byRange.find();
        const found = byRange.count;
        expect(collect([], byRange)).toEqual(collect([], bySlot));
        expect([byRange.isEmpty, byRange.count]).toEqual([true, found]);
      }),
    );
  });

  it('covers every marked slot with ascending, separate ranges, and is empty afterwards', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 80, size: 'max' }), (slots) => {
        const dirty = new DirtyRanges();
        const ranges = collect(slots, dirty);
        for (const slot of slots)
          expect(ranges.some(([begin, end]) => begin! <= slot && slot < end!)).toBe(true);
        for (const [begin, end] of ranges) {
          expect(slots).toContain(begin);
          expect(slots).toContain(end! - 1);
        }
        ranges.slice(1).forEach(([begin], index) => {
          expect(begin! - ranges[index]![1]!).toBeGreaterThan(16);
        });
        expect(dirty.isEmpty).toBe(true);
        expect(collect([], dirty)).toEqual([]);
      }),
    );
  });
});
