import { describe, expect, it } from 'vitest';
import { measureProcessorShare } from './processor-share.js';

/**
 * The clock of a thread that takes 1 µs for a look, and is put aside for `away` ms after each `slice` ms.
 * @param step it is rounded to, in milliseconds
 */
function clockOf({ step = 0.005, slice = Infinity, away = 0 }): () => number {
  let time = 1000;
  let ran = 0;
  return () => {
    time += 0.001;
    ran += 0.001;
    if (ran >= slice) {
      ran = 0;
      time += away;
    }
    return Math.floor(time / step) * step;
  };
}

describe('the share of a processor', () => {
  it('is 1 for a thread that runs on, whatever the steps of the clock', () => {
    for (const step of [0.005, 0.1, 1, 16.7, 100]) expect(measureProcessorShare(clockOf({ step }))).toBe(1);
  });

  it('is what was left of the time where others ran', () => {
    for (const step of [0.005, 0.1, 1]) {
      // 1.5 ms of its own, 4.5 ms of others: a quarter. A jump counts for a millisecond of its own at most.
      const share = measureProcessorShare(clockOf({ step, slice: 1.5, away: 4.5 }));
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.5);
    }
  });

  it('ends soon where others take nearly everything', () => {
    let looks = 0;
    const clock = clockOf({ slice: 0.001, away: 60 });
    const share = measureProcessorShare(() => {
      looks++;
      return clock();
    });
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.1);
    expect(looks).toBeLessThan(5);
  });

  it('is 1 where the clock stands still', () => {
    expect(measureProcessorShare(() => 1000)).toBe(1);
  });

  it('takes a few interrupts for nothing', () => {
    expect(measureProcessorShare(clockOf({ slice: 3, away: 0.3 }))).toBe(1);
  });
});
