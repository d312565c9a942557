import { expect, it } from 'vitest';
import { whiteBalance } from './white-balance.js';

const whiteOf = (temperature: number, tint: number): number[] => {
  const matrix = whiteBalance(temperature, tint);
  return [0, 1, 2].map((row) => matrix.slice(row * 3, row * 3 + 3).reduce((sum, value) => sum + value, 0));
};

it('whiteBalance changes nothing without a shift', () => {
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (const [index, value] of whiteBalance(0, 0).entries()) expect(value).toBeCloseTo(identity[index]!, 4);
});

it('whiteBalance shifts white to yellow, blue, magenta and green', () => {
  const [red = 0, , blue = 0] = whiteOf(0.5, 0);
  expect(red > 1 && blue < 1).toBe(true);
  const [coldRed = 0, , coldBlue = 0] = whiteOf(-0.5, 0);
  expect(coldRed < 1 && coldBlue > 1).toBe(true);
  expect(whiteOf(0, 0.5)[1]).toBeLessThan(1);
  expect(whiteOf(0, -0.5)[1]).toBeGreaterThan(1);
});
