import { describe, expect, test } from 'vitest';
import { amdahl, byWorkAndSpan, leastOf, partsOf } from './speed-up.js';

describe('T10 predicted speed-up', () => {
  test('Amdahl: the speed-up is 1 for a serial loop, the number of workers for a parallel loop, below 20 for 95 % parallel work', () => {
    expect([1, 2, 8].map((workers) => amdahl(0, workers))).toEqual([1, 1, 1]);
    expect([1, 2, 8].map((workers) => amdahl(1, workers))).toEqual([1, 2, 8]);
    expect(amdahl(0.5, 2)).toBeCloseTo(4 / 3, 12);
    expect(amdahl(0.95, 1e9)).toBeCloseTo(20, 6);
  });

  test('work and span: one worker takes all the work, and no number of workers is faster than the span', () => {
    expect(byWorkAndSpan(100, 5, 1)).toBeCloseTo(1, 12);
    expect(byWorkAndSpan(100, 0, 4)).toBeCloseTo(4, 12);
    expect(byWorkAndSpan(100, 5, 2)).toBeCloseTo(100 / 52.5, 12);
    expect(byWorkAndSpan(100, 5, 1e9)).toBeCloseTo(20, 6);
  });

  test('parts of a run add up, and no part exceeds the whole', () => {
    expect(partsOf({ all: 100, calls: [20, 50, 20] })).toEqual({
      work: 100,
      serial: 10,
      span: 60,
      parallel: 0.9,
    });
  });

  test('the lower bound never exceeds the upper bound, which never exceeds the number of workers', () => {
    for (const calls of [[90], [45, 45], [1, 88, 1], Array.from({ length: 90 }, () => 1)]) {
      const { work, span, parallel } = partsOf({ all: 100, calls });
      for (const workers of [1, 2, 4, 8, 16]) {
        const [least, most] = [byWorkAndSpan(work, span, workers), amdahl(parallel, workers)];
        expect(least).toBeLessThanOrEqual(most + 1e-12);
        expect(most).toBeLessThanOrEqual(workers);
      }
    }
  });

  test('the shortest of several runs counts', () => {
    expect(leastOf([{ all: 3 }, { all: 1 }, { all: 2 }])).toEqual({ all: 1 });
  });
});
