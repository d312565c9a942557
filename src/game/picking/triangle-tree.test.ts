import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNearestHit, trianglesOf } from '../geometry/triangles.js';
import { TriangleTree } from './triangle-tree.js';

const number = fc.double({ min: -10, max: 10, noNaN: true });
const triple = fc.tuple(number, number, number);
const whole = fc.integer({ min: -10, max: 10 });
/** Corners of whole numbers, so that triangles have either a substantial area or none. */
const corner = fc.tuple(whole, whole, whole);

describe('a tree of triangles', () => {
  it('hits the same triangle as a test of all triangles', () => {
    const vertices = fc.array(corner, { minLength: 3, maxLength: 90 });
    fc.assert(
      fc.property(vertices, triple, triple, fc.constantFrom(-1, 0, 1), (places, origin, direction, side) => {
        fc.pre(Math.hypot(...direction) > 1e-3);
        const count = Math.floor(places.length / 3) * 3;
        const source = {
          corners: Uint32Array.from({ length: count }, (_, vertex) => vertex),
          floats: new Float32Array(places.slice(0, count).flat()),
          stride: 3,
        };
        const found = { distance: 1e9, triangle: -1, second: 0, third: 0 };
        const isHit = new TriangleTree(source).intersect(origin, direction, side, found);
        const nearest = { distance: 1e9, triangle: -1, second: 0, third: 0 };
        expect(isHit).toBe(findNearestHit(source, origin, direction, side, nearest));
        expect(found).toEqual(nearest);
      }),
    );
  });

  it('finds a hit among 5,000 triangles in one place, without deep recursion', () => {
    const count = 5000 * 3;
    const source = {
      corners: Uint32Array.from({ length: count }, (_, corner) => corner % 3),
      floats: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
      stride: 3,
    };
    const hit = { distance: 9, triangle: -1, second: 0, third: 0 };
    expect(new TriangleTree(source).intersect([0.2, 0.2, 1], [0, 0, -1], 1, hit)).toBe(true);
    expect(hit.distance).toBe(1);
  });

  it('takes its triangles from trianglesOf, which converts strips to lists, and returns null for points', () => {
    const data = new Float32Array(32).buffer;
    const strip = {
      data,
      vertexFormat: 0,
      vertexCount: 4,
      indexCount: 0,
      label: '',
      minimum: [0, 0, 0],
      maximum: [0, 0, 0],
    } as const;
    expect([...trianglesOf({ ...strip, topology: 'triangle-strip' })!.corners]).toEqual([0, 1, 2, 1, 3, 2]);
    expect(trianglesOf({ ...strip, topology: 'point-list' })).toBeNull();
  });
});
