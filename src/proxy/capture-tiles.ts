/**
 * The tiles of a captured picture. The page and the render thread both compute them, so no command has to name them.
 *
 *   up to 2048 × 2048 pixels   one tile, which is the picture
 *   larger pictures            tiles of 1024 × 1024, in rows from the top; smaller at the right and at the bottom
 */

/** Largest width and height of a picture that is drawn at once, in pixels. */
export const MOST_PIXELS_AT_ONCE = 2048;
/** Width and height of the tiles of larger pictures, in pixels. */
const TILE_PIXELS = 1024;

/** A part of a picture, in pixels from the top left. */
export interface CaptureTile {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the tiles of a picture, in the order in which they are drawn. */
export function captureTiles(width: number, height: number): CaptureTile[] {
  if (Math.max(width, height) <= MOST_PIXELS_AT_ONCE) return [{ x: 0, y: 0, width, height }];
  const tiles: CaptureTile[] = [];
  for (let y = 0; y < height; y += TILE_PIXELS) {
    for (let x = 0; x < width; x += TILE_PIXELS) {
      tiles.push({
        x,
        y,
        width: Math.min(TILE_PIXELS, width - x),
        height: Math.min(TILE_PIXELS, height - y),
      });
    }
  }
  return tiles;
}
