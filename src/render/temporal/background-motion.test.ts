import { expect, it } from 'vitest';
import { createViewParameters } from '../scene/view-parameters.js';
import { View } from '../views/view.js';
import { writeBackgroundMotion } from './background-motion.js';

/** Returns `clipFromWorld` of a camera that is turned about the Y axis. */
function matrixOf(angle: number, projection = 0): Float64Array {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const view = new View();
  const world = Float64Array.from([c, 0, s, 3, 0, 1, 0, 2, -s, 0, c, 1]);
  view.update({ ...createViewParameters(), node: 0, projection }, world, new Float64Array(3), 2);
  return view.clipFromWorld;
}

/** Returns where the background at a point was before. */
function before(now: Float64Array, last: Float64Array, x: number, y: number): number[] {
  const rows = new Float32Array(12);
  writeBackgroundMotion(now, last, rows, 0);
  const [a = 0, b = 0, w = 1] = [0, 4, 8].map((row) => rows[row]! * x + rows[row + 1]! * y + rows[row + 2]!);
  return [a / w, b / w];
}

it('writeBackgroundMotion finds the place of a far point in the last picture', () => {
  const [now, last] = [matrixOf(0.2), matrixOf(0.1)];
  const direction = [0.3, 0.2, -1];
  const placeIn = (matrix: Float64Array): [number, number] => {
    const row = (at: number): number =>
      direction.reduce((sum, part, axis) => sum + part * matrix[at + axis]!, 0);
    return [row(0) / row(12), row(4) / row(12)];
  };
  const [x, y] = placeIn(now);
  const [lastX, lastY] = placeIn(last);
  expect(Math.abs(x - lastX)).toBeGreaterThan(0.05);
  const found = before(now, last, x, y);
  expect(found[0]).toBeCloseTo(lastX, 5);
  expect(found[1]).toBeCloseTo(lastY, 5);
});

it('writeBackgroundMotion does not move the background of orthographic cameras', () => {
  expect(before(matrixOf(0.2, 1), matrixOf(0.1, 1), 0.5, -0.25)).toEqual([0.5, -0.25]);
});
