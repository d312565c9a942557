import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AtlasSquare, layOutAtlas } from './atlas-layout.js';

const square = (size: number): AtlasSquare => ({ x: -1, y: -1, size });

describe('R11 the atlas of shadow maps', () => {
  it('places squares side by side, without overlap, within the texture', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 40 }), (sizes) => {
        const squares = sizes.map(square);
        const { width, height } = layOutAtlas(squares, 2048);
        expect(Math.max(width, height)).toBeLessThanOrEqual(2048);
        for (const [index, { x, y, size }] of squares.entries()) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
          expect(x + size).toBeLessThanOrEqual(width);
          expect(y + size).toBeLessThanOrEqual(height);
          for (const other of squares.slice(index + 1)) {
            const isApart =
              x + size <= other.x ||
              other.x + other.size <= x ||
              y + size <= other.y ||
              other.y + other.size <= y;
            expect(isApart).toBe(true);
          }
        }
      }),
    );
  });

  it('halves all squares until they fit', () => {
    const squares = [1024, 1024, 1024, 1024, 1024, 512].map(square);
    expect(layOutAtlas(squares, 2048)).toEqual({ width: 1536, height: 1024 });
    expect(squares.map(({ size }) => size)).toEqual([512, 512, 512, 512, 512, 256]);
  });

  it('has one texel if there are no squares', () => {
    expect(layOutAtlas([], 2048)).toEqual({ width: 1, height: 1 });
  });
});
