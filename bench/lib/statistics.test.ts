import { describe, expect, test } from 'vitest';
import { deviation, mean, median, quantile } from './statistics.js';

describe('statistics of the benchmarks', () => {
  test('the median is the middle sample, and with an even count the mean of the two middle samples', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test('p95 of 0…100 is 95, and quantiles reach both ends', () => {
    const samples = Array.from({ length: 101 }, (_, i) => 100 - i);
    expect(quantile(samples, 0.95)).toBe(95);
    expect(quantile(samples, 0)).toBe(0);
    expect(quantile(samples, 1)).toBe(100);
  });

  test('sorting is by number, not by text', () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  test('the median of no samples is NaN', () => {
    expect(median([])).toBeNaN();
  });

  test('the mean is the sum over the count', () => {
    expect(mean([1, 2, 6])).toBe(3);
  });

  test('the deviation is the root of the mean squared distance from the mean', () => {
    expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
    expect(deviation([3, 3])).toBe(0);
  });
});
