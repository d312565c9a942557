import { describe, expect, it } from 'vitest';
import { isBoxVisible } from '../culling/culling.js';
import { CatcherPlane } from './catcher-plane.js';

const ORIGIN = new Float64Array(3);

/** Returns the matrix of a node, as three rows. */
const matrixOf = (columns: readonly (readonly number[])[]): Float64Array =>
  Float64Array.from([0, 1, 2].flatMap((axis) => columns.map((column) => column[axis] as number)));

const UPRIGHT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const place = (columns: readonly (readonly number[])[], origin = ORIGIN): CatcherPlane | undefined => {
  const plane = new CatcherPlane();
  return plane.place(matrixOf(columns), 0, origin, 4, 2, 1) ? plane : undefined;
};
/** Returns x, y and depth of a point in the picture from below. */
const project = ({ clipFromWorld: clip }: CatcherPlane, [x, y, z]: readonly number[]): number[] =>
  [0, 4, 8].map(
    (row) =>
      (clip[row] as number) * (x as number) +
      (clip[row + 1] as number) * (y as number) +
      (clip[row + 2] as number) * (z as number) +
      (clip[row + 3] as number),
  );
const isSeen = (plane: CatcherPlane, center: readonly number[], half = 0.25): boolean =>
  isBoxVisible(plane.planes, Float32Array.of(...center, half, half, half), 0);

describe('R11 the place of a shadow catcher', () => {
  it('covers its sides, and depth runs from the lowest thing to the height', () => {
    const plane = place([...UPRIGHT, [10, 3, -5]], Float64Array.of(0, 0, 0)) as CatcherPlane;
    expect(plane.fitDepth(3)).toBeCloseTo(1.001, 9);
    expect(project(plane, [12, 3, -4]).slice(0, 2)).toEqual([1, 1]);
    expect(project(plane, [8, 3, -6]).slice(0, 2)).toEqual([-1, -1]);
    expect(project(plane, [10, 4, -5])[2]).toBeCloseTo(0, 9);
    expect(project(plane, [10, 3, -5])[2]).toBeCloseTo(1 / 1.001, 9);
    // The lowest point of a thing that reaches 3 m below the ground.
    const scale = plane.fitDepth(0);
    expect(project(plane, [10, 0, -5])[2]).toBeLessThanOrEqual(1);
    expect((project(plane, [10, 3, -5])[2] as number) * scale).toBeCloseTo(1, 9);
  });

  it('sees things that stand on the ground or in it, and neither the ground itself nor things that begin above', () => {
    const plane = place([...UPRIGHT, [0, 0, 0]]) as CatcherPlane;
    expect(isSeen(plane, [0, 0.25, 0])).toBe(true);
    expect(isSeen(plane, [0, -0.2, 0])).toBe(true);
    expect(isSeen(plane, [0, -0.25, 0])).toBe(false);
    expect(isSeen(plane, [0, 1.2, 0])).toBe(true);
    expect(isSeen(plane, [0, 1.3, 0])).toBe(false);
    expect(isSeen(plane, [2.3, 0.25, 0])).toBe(false);
  });

  it('follows rotation, scale and the render origin, and faces along Y if it is mirrored', () => {
    const turned = place([
      [0, 0, -2],
      [0, 1, 0],
      [3, 0, 0],
      [5, 0, 0],
    ]) as CatcherPlane;
    expect([turned.halfX, turned.halfZ]).toEqual([4, 3]);
    // A zero may have either sign.
    expect([...turned.up].map((value) => value + 0)).toEqual([0, 1, 0]);
    const mirrored = place([
      [-1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
    ]) as CatcherPlane;
    expect([...mirrored.up].map(Math.abs)).toEqual([0, 1, 0]);
    expect(mirrored.up[1]).toBe(1);
    const far = place([...UPRIGHT, [1e7, 0, 0]], Float64Array.of(1e7 - 1, 0, 0)) as CatcherPlane;
    expect([...far.center]).toEqual([1, 0, 0]);
  });

  it('has no place if its area is zero or not a number', () => {
    expect(
      place([
        [0, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
      ]),
    ).toBeUndefined();
    expect(
      place([
        [1, 0, 0],
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
      ]),
    ).toBeUndefined();
    expect(
      place([
        [Number.NaN, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
      ]),
    ).toBeUndefined();
  });
});
