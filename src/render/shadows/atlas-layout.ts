/** A square of the atlas, in texels. */
export interface AtlasSquare {
  x: number;
  y: number;
  size: number;
}

/** Size in texels. */
export interface AtlasSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Places squares in a texture, the largest first, in rows called shelves. A shelf is as high as its first
 * square.
 *
 *   ┌────┬────┐
 *   │    │    │   shelf of 1024
 *   ├──┬─┴┬──┬┤
 *   │  │  │  ││   shelf of 512
 *   └──┴──┴──┴┘
 *
 * If the squares together do not fit into the largest texture, all squares are halved until they fit.
 *
 * @param squares squares to place; their sizes are read and halved if necessary, and their positions are
 * written
 * @param largest maximum width and height of a texture, in texels
 * @returns width and height of the texture
 */
export function layOutAtlas(squares: readonly AtlasSquare[], largest: number): AtlasSize {
  const bySize = [...squares].sort((a, b) => b.size - a.size);
  for (;;) {
    const biggest = bySize[0]?.size ?? 1;
    const area = bySize.reduce((sum, { size }) => sum + size * size, 0);
    const columns = Math.ceil(Math.sqrt(area) / biggest);
    const width = Math.max(1, Math.min(largest, columns * biggest));
    const height = biggest <= width ? shelve(bySize, width) : Infinity;
    if (height <= largest) return { width, height };
    for (const square of bySize) square.size = Math.max(1, square.size >> 1);
  }
}

/** Places squares on shelves. @returns the height of all shelves */
function shelve(bySize: readonly AtlasSquare[], width: number): number {
  let x = 0;
  let y = 0;
  let shelf = 0;
  for (const square of bySize) {
    if (x + square.size > width) {
      x = 0;
      y += shelf;
      shelf = 0;
    }
    square.x = x;
    square.y = y;
    x += square.size;
    shelf = Math.max(shelf, square.size);
  }
  return Math.max(1, y + shelf);
}
