import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameMemory } from '../../core/memory/frame-memory.js';
import { RadixSorter, sortableFloat } from './radix-sort.js';

describe('R14 radix sort', () => {
  it('sorts by key and keeps the order of equal keys', () => {
    const memory = new FrameMemory();
    const sorter = new RadixSorter(memory);
    const key = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 0xffffffff }));
    fc.assert(
      fc.property(fc.array(key, { maxLength: 300, size: 'max' }), (input) => {
        const keys = Uint32Array.from(input);
        const values = Uint32Array.from(input.keys());
        sorter.sort(keys, values, input.length);
        memory.free();
        const expected = [...input.entries()].sort((a, b) => a[1] - b[1] || a[0] - b[0]);
        expect([...values]).toEqual(expected.map(([index]) => index));
        expect([...keys]).toEqual(expected.map(([, value]) => value));
      }),
    );
  });

  it('leaves elements from index `count` on unchanged', () => {
    const keys = Uint32Array.of(3, 1, 2, 9, 8);
    const values = Uint32Array.of(0, 1, 2, 3, 4);
    new RadixSorter(new FrameMemory()).sort(keys, values, 3);
    expect([...keys]).toEqual([1, 2, 3, 9, 8]);
    expect([...values]).toEqual([1, 2, 0, 3, 4]);
  });

  it('maps floats to integers of the same order', () => {
    const float = fc.float({ noNaN: true });
    fc.assert(
      fc.property(float, float, (a, b) => {
        if (a < b) expect(sortableFloat(a)).toBeLessThan(sortableFloat(b));
      }),
    );
    expect(sortableFloat(0)).toBe(0x80000000);
    expect(sortableFloat(-1)).toBeLessThan(sortableFloat(-0.5));
  });
});
