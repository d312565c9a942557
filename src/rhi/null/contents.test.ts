import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Contents, sourceOf } from './contents.js';

const SIZE = 3 * 65536;

describe('H8 contents without a GPU', () => {
  it('refuse a write with less data than its length', () => {
    const write = () => new Contents().copyFrom(sourceOf(new Uint8Array(12)), 8, 0, 8);
    expect(write).toThrow(expect.objectContaining({ code: 'bad-write' }));
  });

  it('equal those of a plain array of bytes, across pages', () => {
    const range = fc
      .tuple(fc.nat(SIZE), fc.nat(SIZE))
      .map(([a, b]) => [Math.min(a, b), Math.abs(a - b)] as const);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), range, value: fc.integer({ min: 1, max: 255 }) }),
      fc.record({ kind: fc.constant('clear' as const), range, value: fc.constant(0) }),
      fc.record({ kind: fc.constant('copy' as const), range, value: fc.nat(SIZE) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const contents = new Contents();
        const other = new Contents();
        const model = new Uint8Array(SIZE);
        const otherModel = new Uint8Array(SIZE);
        for (const { kind, range, value } of steps) {
          const [from, length] = range;
          if (kind === 'write') {
            contents.copyFrom(sourceOf(new Uint8Array(length).fill(value)), 0, from, length);
            model.fill(value, from, from + length);
          } else if (kind === 'clear') {
            contents.clear(from, length);
            model.fill(0, from, from + length);
          } else {
            const to = Math.min(value, SIZE - length);
            other.copyFrom(contents, from, to, length);
            otherModel.set(model.subarray(from, from + length), to);
          }
        }
        expect(Buffer.compare(new Uint8Array(contents.slice(0, SIZE)), model)).toBe(0);
        expect(Buffer.compare(new Uint8Array(other.slice(0, SIZE)), otherModel)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});
