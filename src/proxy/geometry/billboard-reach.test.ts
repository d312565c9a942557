import fc from 'fast-check';
import { expect, it } from 'vitest';
import { billboardReach } from './billboard-reach.js';

const number = fc.double({ min: -4, max: 4, noNaN: true });

it('a box enlarged by the reach contains all billboards around its anchors under any scale and shear', () => {
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 9, maxLength: 9 }),
      fc.array(number, { minLength: 3, maxLength: 3 }),
      fc.double({ min: 0, max: 4, noNaN: true }),
      (rows, anchor, radius) => {
        const extents = anchor.map((value) => Math.abs(value) + radius);
        const beyond = billboardReach(rows, 0, 3, 1, Math.min(...extents));
        const columns = [0, 1, 2].map((axis) => Math.hypot(rows[axis]!, rows[3 + axis]!, rows[6 + axis]!));
        for (const row of [0, 1, 2]) {
          const along = [0, 1, 2].map((axis) => rows[row * 3 + axis]!);
          const box = along.reduce((sum, value, axis) => sum + Math.abs(value) * extents[axis]!, 0) + beyond;
          const place = along.reduce((sum, value, axis) => sum + value * anchor[axis]!, 0);
          expect(box).toBeGreaterThanOrEqual((Math.abs(place) + Math.max(...columns) * radius) * (1 - 1e-12));
        }
      },
    ),
  );
});

it('the reach is zero for a rotated, uniformly scaled node, and positive for a stretched one', () => {
  const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
  expect(billboardReach([2 * c, -2 * s, 0, 2 * s, 2 * c, 0, 0, 0, 2], 0, 3, 1, 5)).toBe(0);
  // The second matrix is column-major, as the game passes it.
  expect(billboardReach([3, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0], 0, 1, 4, 2)).toBeCloseTo(5, 12);
});
