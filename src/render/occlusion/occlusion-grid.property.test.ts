import fc from 'fast-check';
import { expect, it } from 'vitest';
import { View } from '../views/view.js';
import { hideWords } from './box-test.js';
import { OccluderShape } from './occluder-shape.js';
import { OcclusionGrid } from './occlusion-grid.js';

const WIDTH = 400;
const HEIGHT = 300;
const ORIGIN = new Float64Array(3);
const TURNED = 0.3;

/** Returns a closed box, or a box with a hole along z. @param hole width of the hole as a share of the box; 0: none */
function boxShape(size: readonly number[], hole: number): OccluderShape {
  const positions: number[] = [];
  const corners: number[] = [];
  const quad = (...points: number[][]): void => {
    const first = positions.length / 3;
    for (const point of points) positions.push(...point.map((value, axis) => (value * size[axis]!) / 2));
    corners.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  if (hole === 0) {
    quad([-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]);
    quad([1, -1, -1], [-1, -1, -1], [-1, 1, -1], [1, 1, -1]);
  } else {
    const rim = [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ];
    for (let side = 0; side < 4; side++) {
      const [ax, ay] = rim[side] as [number, number];
      const [bx, by] = rim[(side + 1) % 4] as [number, number];
      quad([ax, ay, 1], [bx, by, 1], [bx * hole, by * hole, 1], [ax * hole, ay * hole, 1]);
      quad([bx, by, -1], [ax, ay, -1], [ax * hole, ay * hole, -1], [bx * hole, by * hole, -1]);
      quad(
        [ax * hole, ay * hole, 1],
        [bx * hole, by * hole, 1],
        [bx * hole, by * hole, -1],
        [ax * hole, ay * hole, -1],
      );
    }
  }
  quad([1, -1, 1], [1, -1, -1], [1, 1, -1], [1, 1, 1]);
  quad([-1, -1, -1], [-1, -1, 1], [-1, 1, 1], [-1, 1, -1]);
  quad([-1, 1, 1], [1, 1, 1], [1, 1, -1], [-1, 1, -1]);
  quad([-1, -1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]);
  return new OccluderShape(positions, corners);
}

/** Returns a matrix of three rows that rotates around x by `tilt`, then around y by `turn`, then moves. Radians. */
function matrixOf(x: number, y: number, z: number, turn: number, tilt: number): number[] {
  const [s, c, t, d] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt), Math.cos(tilt)];
  return [c, s * t, s * d, x, 0, d, -t, y, -s, c * t, c * d, z];
}

const coordinate = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const occluder = fc.record({
  size: fc.tuple(...[0, 1, 2].map(() => fc.double({ min: 0.2, max: 12, noNaN: true }))),
  hole: fc.constantFrom(0, 0, 0.05, 0.5),
  place: fc.tuple(coordinate(6), coordinate(6), fc.double({ min: -15, max: -1, noNaN: true })),
  turn: coordinate(3),
  tilt: coordinate(1),
});
const box = fc.record({
  center: fc.tuple(coordinate(12), coordinate(12), fc.double({ min: -40, max: -1, noNaN: true })),
  extents: fc.tuple(...[0, 1, 2].map(() => fc.double({ min: 0, max: 2, noNaN: true }))),
});

/** Returns whether a segment hits one of the triangles that face it, before its end. */
function isMet(
  shape: OccluderShape,
  matrix: readonly number[],
  from: readonly number[],
  to: readonly number[],
): boolean {
  const place = (vertex: number): number[] =>
    [0, 4, 8].map(
      (row) =>
        [0, 1, 2].reduce((sum, axis) => sum + matrix[row + axis]! * shape.positions[vertex * 3 + axis]!, 0) +
        matrix[row + 3]!,
    );
  const minus = (a: readonly number[], b: readonly number[]): number[] =>
    a.map((value, axis) => value - b[axis]!);
  const cross = (a: readonly number[], b: readonly number[]): number[] => [
    a[1]! * b[2]! - a[2]! * b[1]!,
    a[2]! * b[0]! - a[0]! * b[2]!,
    a[0]! * b[1]! - a[1]! * b[0]!,
  ];
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, axis) => sum + value * b[axis]!, 0);
  const direction = minus(to, from);
  for (let at = 0; at < shape.corners.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => place(shape.corners[at + corner]!)) as [
      number[],
      number[],
      number[],
    ];
    const normal = cross(minus(b, a), minus(c, a));
    const against = dot(normal, direction);
    if (against >= 0) continue;
    const share = dot(normal, minus(a, from)) / against;
    if (share <= 0 || share >= 1) continue;
    const point = from.map((value, axis) => value + share * direction[axis]!);
    const sides = [
      [a, b],
      [b, c],
      [c, a],
    ].map(([p, q]) => dot(normal, cross(minus(q!, p!), minus(point, p!))));
    // A point on an edge counts as a hit, because both neighbouring triangles share it.
    if (sides.every((side) => side >= -1e-9 * dot(normal, normal))) return true;
  }
  return false;
}

function look(): { view: View; grid: OcclusionGrid } {
  const camera = {
    node: 0,
    projection: 0,
    extentX: 0,
    extentY: 1.2,
    near: 0.1,
    far: Infinity,
    aspect: 0,
    layers: 0xffffffff,
  };
  const view = new View();
  view.update(camera, Float64Array.from(matrixOf(0, 0, 0, 0, 0)), ORIGIN, WIDTH / HEIGHT);
  const grid = new OcclusionGrid();
  grid.clear(view.clipFromWorld, WIDTH, HEIGHT);
  return { view, grid };
}

/** Returns whether each box is hidden. @param boxes centre and half extents of each box, six numbers */
function hiddenOf(grid: OcclusionGrid, boxes: readonly number[]): boolean[] {
  const count = boxes.length / 6;
  const words = (count + 31) >>> 5;
  const bits = new Uint32Array(words);
  const all = new Uint32Array(words).fill(0xffffffff);
  hideWords(
    grid.numbers,
    grid.depths,
    grid.tiles,
    Float32Array.from({ ...boxes, length: words * 192 }),
    all,
    bits,
    0,
    words,
  );
  return Array.from({ length: count }, (_, index) => ((bits[index >>> 5]! >>> (index & 31)) & 1) === 0);
}

it('R13: a box just in front of an occluder is not hidden, at any rotation', () => {
  const share = fc.double({ min: -1, max: 1, noNaN: true });
  const points = fc.array(fc.tuple(fc.nat(2), share, share), { minLength: 64, maxLength: 64 });
  fc.assert(
    fc.property(occluder, points, ({ size, place, turn, tilt }, places) => {
      const { grid } = look();
      const matrix = matrixOf(...place, turn, tilt);
      grid.add(boxShape(size, 0), Float64Array.from(matrix), 0, ORIGIN, 1);
      grid.finish();
      const boxes = places.flatMap(([axis, first, second]) => {
        // The point lies on the side that faces the eye, because the opposite side is behind the occluder.
        const at = [0, 4, 8].map((row) => matrix[row + 3]!);
        const towards = at.reduce((sum, value, index) => sum - value * matrix[index * 4 + axis]!, 0);
        const local = [first, second, first * second];
        local[axis] = Math.sign(towards);
        const reaches = Math.abs(towards) > size[axis]! / 2;
        const surface = [0, 4, 8].map(
          (row, index) =>
            at[index]! +
            local.reduce((sum, value, each) => sum + (matrix[row + each]! * value * size[each]!) / 2, 0),
        );
        return [...surface.map((value) => value * (reaches ? 0.999 : 0.01)), 0, 0, 0];
      });
      expect(hiddenOf(grid, boxes)).not.toContain(true);
    }),
    { numRuns: 300, seed: 20261126, endOnFailure: true },
  );
});

it('R13: walls of one occluder that meet leave no gap, but two occluders do; a box across the near plane is visible', () => {
  const corner = (shapes: readonly OccluderShape[]): OcclusionGrid => {
    const { grid } = look();
    for (const shape of shapes) grid.add(shape, Float64Array.from(matrixOf(0, 0, 0, 0, 0)), 0, ORIGIN, 1);
    grid.finish();
    return grid;
  };
  const left = [-9, -9, -3, 0, -9, -6, 0, 9, -6, -9, 9, -3];
  const right = [0, -9, -6, 9, -9, -3, 9, 9, -3, 0, 9, -6];
  const quad = [0, 1, 2, 0, 2, 3];
  const behind = [0, 0, -20, 0.1, 0.1, 0.1];
  const before = [0, 0, -3, 0.1, 0.1, 0.1];
  const around = [0, 0, -20, 0.1, 0.1, 20];
  const one = corner([new OccluderShape([...left, ...right], [...quad, ...quad.map((index) => index + 4)])]);
  expect(hiddenOf(one, [...behind, ...before, ...around, NaN, 0, 0, 0, 0, 0])).toEqual([
    true,
    false,
    false,
    false,
  ]);
  const two = corner([new OccluderShape(left, quad), new OccluderShape(right, quad)]);
  expect(hiddenOf(two, behind)).toEqual([false]);
  // Back faces cover nothing.
  const back = corner([
    new OccluderShape(left, [...quad].reverse()),
    new OccluderShape(right, [...quad].reverse()),
  ]);
  expect(hiddenOf(back, [-3, 0, -20, 0.1, 0.1, 0.1])).toEqual([false]);
  expect(hiddenOf(two, [-3, 0, -20, 0.1, 0.1, 0.1])).toEqual([true]);
});

it('R13: no point of a hidden box is visible past the occluders', () => {
  let hiddenBoxes = 0;
  fc.assert(
    fc.property(
      fc.array(occluder, { minLength: 1, maxLength: 4 }),
      fc.array(box, { minLength: 8, maxLength: 32 }),
      fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
      (occluders, boxes, numbers) => {
        const { view, grid } = look();
        const shapes = occluders.map(({ size, hole, place, turn, tilt }) => {
          const matrix = matrixOf(...place, turn + TURNED, tilt);
          const shape = boxShape(size, hole);
          grid.add(shape, Float64Array.from(matrix), 0, ORIGIN, 1);
          return { shape, matrix };
        });
        grid.finish();
        const bounds = boxes.flatMap(({ center, extents }) => [...center, ...extents]);
        hiddenOf(grid, bounds).forEach((isHidden, index) => {
          if (!isHidden) return;
          hiddenBoxes++;
          for (let sample = 0; sample < 24; sample++) {
            const point = [0, 1, 2].map(
              (axis) => bounds[index * 6 + axis]! + numbers.next().value! * bounds[index * 6 + 3 + axis]!,
            );
            const clip = [0, 4, 12].map((row) =>
              [0, 1, 2].reduce(
                (sum, axis) => sum + view.clipFromWorld[row + axis]! * point[axis]!,
                view.clipFromWorld[row + 3]!,
              ),
            );
            // Points outside the picture are not visible.
            if (Math.abs(clip[0]!) > clip[2]! || Math.abs(clip[1]!) > clip[2]!) continue;
            expect(shapes.some(({ shape, matrix }) => isMet(shape, matrix, [0, 0, 0], point))).toBe(true);
          }
        });
      },
    ),
    { numRuns: 120, seed: 20261126, endOnFailure: true },
  );
  // The test proves something only if boxes are hidden.
  expect(hiddenBoxes).toBeGreaterThan(150);
});
