import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLong, writeLong } from './wide-words.js';

it('F1: every value of 64 bits is read back, as a number if that is exact', () => {
  const words = new Uint32Array(4);
  const whole = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const edges = fc.constantFrom(0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n);
  fc.assert(
    fc.property(fc.oneof(whole, edges), (value) => {
      writeLong(words, 1, value);
      const isNumber = value < 2n ** 53n;
      const expected = isNumber ? Number(value) : value;
      expect(readLong(words, 1)).toBe(expected);
      if (isNumber) {
        words.fill(0);
        writeLong(words, 1, Number(value));
        expect(readLong(words, 1)).toBe(expected);
      }
      expect([words[0], words[3]]).toEqual([0, 0]);
    }),
  );
});
