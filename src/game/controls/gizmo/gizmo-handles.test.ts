import { describe, expect, it } from 'vitest';
import type { Triple } from '../../transforms/triples.js';
import { nearestOnLine, pointOnPlane } from '../pointer-rays.js';
import { quaternionOf } from './gizmo-frame.js';
import { type GizmoMode, handleAt, handlesOf, isUsable } from './gizmo-handles.js';

/** A ray along −Z through a point of the plane z = 0. */
const down = (x: number, y: number) => ({ origin: [x, y, 10] as Triple, direction: [0, 0, -1] as Triple });
const FRONT: Triple = [0, 0, 1];
const at = (mode: GizmoMode, x: number, y: number, isFinger = false) => {
  const handle = handleAt(down(x, y), handlesOf(mode), FRONT, isFinger);
  return handle && `${handle.kind} ${handle.axis}`;
};

describe('handleAt', () => {
  it('finds arrows, squares, rings and the box in the middle', () => {
    expect([at('translate', 0.7, 0.05), at('translate', 0.05, 0.7), at('translate', 0.4, 0.4)]).toEqual([
      'arrow 0',
      'arrow 1',
      'square 2',
    ]);
    expect([at('rotate', 0.64, 0.64), at('rotate', 0, 0.5), at('rotate', 0.5, 0)]).toEqual([
      'ring 2',
      'ring 0',
      'ring 1',
    ]);
    expect([at('scale', 0.05, 0.05), at('scale', 0.9, 0)]).toEqual(['middle 0', 'arrow 0']);
  });

  it('misses what is out of reach, and reaches farther for fingers', () => {
    expect([at('translate', 0.7, 0.12), at('translate', 0.7, 0.12, true)]).toEqual([null, 'arrow 0']);
    expect([at('translate', 1.2, 0), at('translate', -0.5, 0), at('rotate', 0.3, 0.3)]).toEqual([
      null,
      null,
      null,
    ]);
    expect([at('translate', 0.58, 0.58), at('translate', 0.65, 0.65)]).toEqual(['square 2', null]);
  });

  it('ignores handles behind the viewer, arrows seen from their end and squares seen from their edge', () => {
    const behind = { origin: [0.7, 0, -10] as Triple, direction: [0, 0, -1] as Triple };
    expect(handleAt(behind, handlesOf('translate'), FRONT, false)).toBe(null);
    expect(at('translate', 0, 0)).toBe(null);
    const usable = handlesOf('translate').filter((handle) => isUsable(handle, FRONT));
    expect(usable.map(({ kind, axis }) => `${kind} ${axis}`)).toEqual(['arrow 0', 'arrow 1', 'square 2']);
  });
});

describe('rays', () => {
  it('meet planes in front of them, but not at the horizon', () => {
    const ray = { origin: [0, 1, 0] as Triple, direction: [0.6, -0.8, 0] as Triple };
    expect(pointOnPlane(ray, [0, 0, 0], [0, 1, 0])).toEqual([
      expect.closeTo(0.75, 9),
      expect.closeTo(0, 9),
      0,
    ]);
    expect(pointOnPlane({ ...ray, direction: [1, 0, 0] }, [0, 0, 0], [0, 1, 0])).toBe(null);
    expect(pointOnPlane({ ...ray, direction: [0, 1, 0] }, [0, 0, 0], [0, 1, 0])).toBe(null);
    const flat = Math.hypot(1, 1e-4);
    const shallow: Triple = [1 / flat, -1e-4 / flat, 0];
    expect(pointOnPlane({ ...ray, direction: shallow }, [0, 0, 0], [0, 1, 0])).toBe(null);
  });

  it('have a nearest point on a line, unless both are parallel', () => {
    expect(nearestOnLine(down(3, 4), [1, 0, 0], [1, 0, 0])).toBeCloseTo(2, 9);
    expect(nearestOnLine(down(3, 4), [0, 0, 0], [0, 0, 1])).toBe(null);
  });
});

describe('quaternionOf', () => {
  it.each([
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0, 1],
    ],
    [
      [0, 1, 0],
      [-1, 0, 0],
      [0, 0, 1],
      [0, 0, Math.SQRT1_2, Math.SQRT1_2],
    ],
    [
      [1, 0, 0],
      [0, -1, 0],
      [0, 0, -1],
      [1, 0, 0, 0],
    ],
    [
      [-1, 0, 0],
      [0, 1, 0],
      [0, 0, -1],
      [0, 1, 0, 0],
    ],
    [
      [-1, 0, 0],
      [0, -1, 0],
      [0, 0, 1],
      [0, 0, 1, 0],
    ],
  ] as const)('returns the rotation to %s, %s, %s', (x, y, z, expected) => {
    const rotation = quaternionOf([[...x], [...y], [...z]]);
    expect(rotation).toEqual(expected.map((value) => expect.closeTo(value, 9)));
  });
});
