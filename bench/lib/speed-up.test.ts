import { describe, expect, test } from 'vitest';
import { amdahl, byWorkAndSpan } from './speed-up.js';

describe('T10 predicted speed-up', () => {
  test('Amdahl: nothing parallel stays as fast, all of it grows with the workers, and 95 % never exceed 20', () => {
    expect([1, 2, 8].map((workers) => amdahl(0, workers))).toEqual([1, 1, 1]);
    expect([1, 2, 8].map((workers) => amdahl(1, workers))).toEqual([1, 2, 8]);
    expect(amdahl(0.5, 2)).toBeCloseTo(4 / 3, 12);
    expect(amdahl(0.95, 1e9)).toBeCloseTo(20, 6);
  });

  test('work and span: one worker does all of it, and none is faster than the span', () => {
    expect(byWorkAndSpan(100, 5, 1)).toBeCloseTo(1, 12);
    expect(byWorkAndSpan(100, 0, 4)).toBeCloseTo(4, 12);
    expect(byWorkAndSpan(100, 5, 2)).toBeCloseTo(100 / 52.5, 12);
    expect(byWorkAndSpan(100, 5, 1e9)).toBeCloseTo(20, 6);
  });
});
