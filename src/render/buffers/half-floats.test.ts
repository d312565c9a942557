import { describe, expect, it } from 'vitest';
import { halfFloat, packHalfFloats } from './half-floats.js';

describe('half floats of colours', () => {
  it('match IEEE 754', () => {
    const cases = [
      [0, 0],
      [1, 0x3c00],
      [0.5, 0x3800],
      [2, 0x4000],
      [65504, 0x7bff],
      [0.333251953125, 0x3555],
      [1 / 3, 0x3555],
      [2 ** -14, 0x0400],
      [2 ** -24, 1],
      [2 ** -26, 0],
      [2 ** -14 - 2 ** -24, 0x03ff],
      // This number is rounded up to the next power of two.
      [1.99999, 0x4000],
    ] as const;
    for (const [value, half] of cases) expect([value, halfFloat(value)]).toEqual([value, half]);
  });

  it('are exact for every finite half float from 0 on', () => {
    for (let half = 0; half < 0x7c00; half++) {
      const exponent = half >> 10;
      const digits = half & 1023;
      const value = exponent ? 2 ** (exponent - 15) * (1 + digits / 1024) : digits * 2 ** -24;
      expect(halfFloat(value)).toBe(half);
    }
  });

  it('are packed two to a word', () => {
    expect(packHalfFloats(1, 2) >>> 0).toBe(0x40003c00);
    expect(packHalfFloats(0, 65504) >>> 0).toBe(0x7bff0000);
  });
});
