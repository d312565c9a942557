import { describe, expect, it } from 'vitest';
import { PrimitiveStore } from '../scene/primitive-store.js';
import { createViewParameters } from '../scene/view-parameters.js';
import { View } from '../views/view.js';
import { type CascadeSphere, fitCascades } from './fit-cascades.js';
import { VisibleRange } from './visible-range.js';

const parameters = { ...createViewParameters(), node: 0 };
const ASPECT = 1.5;

/** Fits cascades to boxes of 1 m, at places on the camera's axis or beside it. */
function fitted(places: readonly (readonly [number, number, number])[], distance = Infinity, count = 3) {
  const primitives = new PrimitiveStore();
  for (const [index, [x, y, z]] of places.entries()) {
    primitives.create(index, 0, 0, 0, 1);
    primitives.setDrawable(index, true, true, true);
    primitives.bounds.set([x, y, z, 0.5, 0.5, 0.5], index * 6);
  }
  const view = new View();
  view.update(parameters, Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0), new Float64Array(3), ASPECT);
  const range = new VisibleRange();
  range.measure(primitives.drawableBits, primitives, view.position, view.forward);
  const spheres: CascadeSphere[] = Array.from({ length: 4 }, () => ({
    center: new Float64Array(3),
    radius: 0,
  }));
  fitCascades(view, parameters, ASPECT, range, distance, count, spheres);
  return { spheres: spheres.slice(0, count), range };
}

const holds = ({ center, radius }: CascadeSphere, point: readonly number[]): boolean =>
  Math.hypot(...point.map((value, axis) => value - center[axis]!)) <= radius + 1e-9;

describe('R11 cascades', () => {
  const tangent = Math.tan(parameters.extentY / 2);
  const row = Array.from({ length: 40 }, (_, index) => [0, 0, -2 - 4 * index] as const);

  it('enclose the view between the nearest and the farthest visible primitive', () => {
    const sides = [-2, 2].map((x) => [x * tangent * ASPECT * 158, x * tangent * 158, -158] as const);
    const { spheres, range } = fitted([...row, ...sides]);
    expect([range.near, range.far]).toEqual([1.5, 158.5]);
    for (let depth = range.near; depth < range.far; depth += 0.5) {
      for (const [x, y] of [
        [0, 0],
        [1, 1],
        [-1, 1],
      ] as const) {
        const corner = [x * tangent * ASPECT * depth, y * tangent * depth, -depth];
        expect(
          spheres.some((sphere) => holds(sphere, corner)),
          `${corner}`,
        ).toBe(true);
      }
    }
    const radii = spheres.map(({ radius }) => radius);
    expect(radii).toEqual([...radii].sort((a, b) => a - b));
  });

  it('end at the shadow distance', () => {
    const { spheres } = fitted(row, 20);
    expect(holds(spheres[2]!, [0, 0, -19.9])).toBe(true);
    for (const sphere of spheres) expect(holds(sphere, [0, 0, -45])).toBe(false);
  });

  it('shrink to one cascade if a small sphere holds all visible primitives', () => {
    const { spheres } = fitted([[0.3, 0, -30]]);
    const [first, second, third] = spheres as [CascadeSphere, CascadeSphere, CascadeSphere];
    expect(first.radius).toBeGreaterThanOrEqual(Math.sqrt(0.75));
    expect(first.radius).toBeLessThan(1.2);
    expect([second.radius, third.radius]).toEqual([0, 0]);
    expect([...first.center]).toEqual([expect.closeTo(0.3), 0, -30]);
  });

  it('have radius 0 if no visible primitive receives shadows within their distance', () => {
    expect(fitted([]).spheres.map(({ radius }) => radius)).toEqual([0, 0, 0]);
    expect(fitted([[0, 0, -30]], 5).spheres.map(({ radius }) => radius)).toEqual([0, 0, 0]);
  });

  it('keep their size while primitives move a little', () => {
    const sizes = (shift: number) =>
      fitted(row.map(([x, y, z]) => [x + shift, y, z - shift] as const)).spheres;
    const before = sizes(0).map(({ radius }) => radius);
    expect(sizes(0.01).map(({ radius }) => radius)).toEqual(before);
  });
});
