import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CameraComponent } from './camera-component.js';
import { type ProjectedPoint, projectPoint, rayThrough } from './camera-rays.js';

const SIZE = [800, 400] as const;
const number = (from: number, to: number) => fc.double({ min: from, max: to, noNaN: true });

const cameras = fc
  .record({
    position: fc.tuple(number(-50, 50), number(-50, 50), number(-50, 50)),
    turn: fc.tuple(number(-1, 1), number(-1, 1), number(-1, 1), number(0.1, 1)),
    scale: number(0.5, 3),
    fovY: number(0.2, 2),
    halfHeight: fc.option(number(0.5, 20)),
    aspect: fc.constantFrom(0, 1, 2.5),
  })
  .map(({ position, turn, scale, fovY, halfHeight, aspect }) => {
    const options = halfHeight === null ? { fovY } : { orthographic: { halfHeight } };
    return new CameraComponent({ position, rotation: turn, scale, aspect, ...options });
  });

describe('a camera', () => {
  it('projects any point of the ray through a pixel to that pixel', () => {
    fc.assert(
      fc.property(cameras, number(-100, 900), number(-100, 500), number(0.1, 100), (camera, x, y, along) => {
        const { origin, direction } = rayThrough(camera, x, y, SIZE);
        expect(Math.hypot(...direction)).toBeCloseTo(1, 9);
        const point = origin.map((value, axis) => value + direction[axis]! * along);
        const seen = projectPoint(camera, point, SIZE) as ProjectedPoint;
        expect(seen.x).toBeCloseTo(x, 3);
        expect(seen.y).toBeCloseTo(y, 3);
        expect(seen.depth).toBeGreaterThan(camera.near - 1e-6);
      }),
    );
  });

  it('follows the surface’s aspect ratio if the half width of its view is 0', () => {
    const [free, zero] = [{ halfHeight: 2 }, { halfHeight: 2, halfWidth: 0 }].map(
      (orthographic) => new CameraComponent({ orthographic }),
    ) as [CameraComponent, CameraComponent];
    const seen = projectPoint(zero, [1, 1, -5], SIZE);
    expect(seen).toEqual(projectPoint(free, [1, 1, -5], SIZE));
    expect(seen?.x).toBe(500);
    expect(rayThrough(zero, 500, 100, SIZE)).toEqual(rayThrough(free, 500, 100, SIZE));
  });

  it('projects the point in front of it to the middle, and no point behind it', () => {
    const camera = new CameraComponent({ position: [1, 2, 3], lookAt: [1, 2, -7] });
    expect(projectPoint(camera, [1, 2, -7], SIZE)).toEqual({ x: 400, y: 200, depth: 10 });
    expect(projectPoint(camera, [1, 2, 4], SIZE)).toBe(null);
    const right = projectPoint(camera, [2, 3, -7], SIZE) as ProjectedPoint;
    expect(right.x).toBeGreaterThan(400);
    expect(right.y).toBeLessThan(200);
  });

  it.each([
    [0, 0],
    [0, 400],
    [800, 0],
  ] as const)(
    'projects no point on a canvas of %i × %i, and casts its rays through the middle',
    (width, height) => {
      for (const options of [{}, { orthographic: { halfHeight: 1 } }]) {
        const camera = new CameraComponent({ position: [1, 2, 3], lookAt: [1, 2, -7], ...options });
        expect(projectPoint(camera, [1, 2, -7], [width, height])).toBe(null);
        const { origin, direction } = rayThrough(camera, 12, 34, [width, height]);
        expect([...origin.slice(0, 2), ...direction.map(Math.round)]).toEqual([1, 2, 0, 0, -1]);
      }
    },
  );
});
