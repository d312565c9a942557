import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCoveredBy, type ShareRectangle } from './cover.js';

const rectangle = (x: number, y: number, width: number, height: number): ShareRectangle => ({
  x,
  y,
  width,
  height,
});

describe('R11 the uncovered part of the surface', () => {
  it('is empty if rectangles together cover the surface, however they overlap', () => {
    expect(isCoveredBy([rectangle(0, 0, 1, 1)])).toBe(true);
    expect(isCoveredBy([rectangle(0, 0, 0.5, 1), rectangle(0.5, 0, 0.5, 1)])).toBe(true);
    const thirds = [0, 1, 2].map((index) => Math.fround(index / 3));
    expect(isCoveredBy(thirds.map((x) => rectangle(x, 0, Math.fround(1 / 3), 1)))).toBe(true);
    expect(
      isCoveredBy([rectangle(0, 0, 0.7, 0.6), rectangle(0.3, 0, 0.7, 1), rectangle(0, 0.4, 0.5, 0.6)]),
    ).toBe(true);
  });

  it('is not empty if a corner, a gap or the whole surface is free', () => {
    expect(isCoveredBy([])).toBe(false);
    expect(isCoveredBy([rectangle(0, 0, 1, 0.99)])).toBe(false);
    expect(isCoveredBy([rectangle(0, 0, 0.49, 1), rectangle(0.5, 0, 0.5, 1)])).toBe(false);
    expect(isCoveredBy([rectangle(0, 0, 1, 0.5), rectangle(0, 0.5, 0.9, 0.5)])).toBe(false);
  });

  it('agrees with a test of every cell of a grid', () => {
    const eighth = fc.integer({ min: 0, max: 8 });
    const any = fc.tuple(eighth, eighth, eighth, eighth).map(([x, y, w, h]) => ({ x, y, w, h }));
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), (cells) => {
        let isEveryCellCovered = true;
        for (let x = 0; x < 8; x++)
          for (let y = 0; y < 8; y++)
            isEveryCellCovered &&= cells.some(
              (each) => x >= each.x && x < each.x + each.w && y >= each.y && y < each.y + each.h,
            );
        const shares = cells.map(({ x, y, w, h }) => rectangle(x / 8, y / 8, w / 8, h / 8));
        expect(isCoveredBy(shares)).toBe(isEveryCellCovered);
      }),
    );
  });
});
