import { expect, it } from 'vitest';
import { writeJitter } from './jitter.js';

const jitters = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, frame) => {
    const out = new Float64Array(2);
    writeJitter(frame, out);
    return [out[0]!, out[1]!];
  });

it('writeJitter moves by at most half a pixel, and covers the pixel evenly', () => {
  const all = jitters(64);
  expect(new Set(all.map(String)).size).toBe(64);
  for (const axis of [0, 1] as const) {
    const values = all.map((jitter) => jitter[axis]);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(-0.5);
    expect(Math.max(...values)).toBeLessThanOrEqual(0.5);
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(0);
  }
  // Each sixteenth of the pixel has four of the points.
  for (let cell = 0; cell < 16; cell++) {
    const inside = all.filter(
      ([x, y]) => Math.floor((x + 0.5) * 4) === cell % 4 && Math.floor((y + 0.5) * 4) === cell >> 2,
    );
    expect(inside.length).toBe(4);
  }
});

it('writeJitter repeats after 64 frames', () => {
  expect(jitters(128).slice(64)).toEqual(jitters(64));
});
