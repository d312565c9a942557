import { describe, expect, it } from 'vitest';
import { measureProcessorShare } from './processor-share.js';

/**
 * Creates the clock of a thread that needs 1 µs per reading, and is suspended for `away` ms after each `slice` ms.
 * @param step resolution of the clock, in milliseconds
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
  it('the share is 1 for a thread that runs uninterrupted, at any resolution of the clock', () => {
    for (const step of [0.005, 0.1, 1, 16.7, 100]) expect(measureProcessorShare(clockOf({ step }))).toBe(1);
  });

  it('the share is the part of the time that other threads leave', () => {
    for (const step of [0.005, 0.1, 1]) {
      // The thread runs 1.5 ms, other threads run 4.5 ms: a quarter. A jump counts as at most 1 ms of running.
      const share = measureProcessorShare(clockOf({ step, slice: 1.5, away: 4.5 }));
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.5);
    }
  });

  it('the measurement ends early if other threads take nearly all the time', () => {
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

  it('the share is 1 if the clock stands still', () => {
    expect(measureProcessorShare(() => 1000)).toBe(1);
  });

  it('a few interrupts do not reduce the share', () => {
    expect(measureProcessorShare(clockOf({ slice: 3, away: 0.3 }))).toBe(1);
  });
});
