import { describe, expect, it } from 'vitest';
import { captureTiles } from './capture-tiles.js';

describe('R11 the tiles of a captured picture', () => {
  it('one tile up to 2048 pixels along each side', () => {
    expect(captureTiles(1, 1)).toEqual([{ x: 0, y: 0, width: 1, height: 1 }]);
    expect(captureTiles(2048, 2048)).toEqual([{ x: 0, y: 0, width: 2048, height: 2048 }]);
  });

  it('tiles of 1024 pixels cover a larger picture once', () => {
    for (const [width, height] of [
      [2049, 1],
      [3840, 2160],
      [5, 16384],
    ] as const) {
      const tiles = captureTiles(width, height);
      let area = 0;
      for (const tile of tiles) {
        area += tile.width * tile.height;
        expect(tile.x % 1024).toBe(0);
        expect(tile.y % 1024).toBe(0);
        expect(tile.x + tile.width).toBeLessThanOrEqual(width);
        expect(tile.y + tile.height).toBeLessThanOrEqual(height);
        expect(Math.max(tile.width, tile.height)).toBeLessThanOrEqual(1024);
      }
      expect(area).toBe(width * height);
      expect(new Set(tiles.map(({ x, y }) => `${x} ${y}`)).size).toBe(tiles.length);
    }
  });
});
