/**
 * Tests whether boxes lie entirely behind the covered cells of an `OcclusionGrid`. These are plain functions
 * over arrays, so ranges of primitives can be separate jobs (SYSTEMS R13).
 */

/** Indices of the numbers that place a grid over a view. Indices 0 to 15 hold `View.clipFromWorld`. */
export enum GridNumber {
  /** Number of cells from the middle of the picture to its right border, including fractions. */
  halfWidth = 16,
  /** Number of cells from the middle of the picture to its upper border, including fractions. */
  halfHeight = 17,
  columns = 18,
  rows = 19,
  /** Maximum error of a position, in cells: half a pixel. */
  slack = 20,
}
export const GRID_NUMBERS = 21;

/** Maximum number of columns, and of rows, in a grid. */
export const MOST_CELLS = 128;
/** Number of columns, and of rows, in a tile. */
export const TILE = 8;

/**
 * Margins by which a box must lie behind covered cells: a share of its depth, and a depth. Both margins are
 * far above rounding errors.
 */
const DEPTH_SHARE = 1e-4;
const LEAST_DEPTH = 1e-7;
/** Points closer than this to the plane of the eye have no position on the screen. */
export const LEAST_W = 1e-6;

/**
 * Per word of 32 primitives: removes primitives whose box is hidden.
 * @param numbers see `GridNumber`
 * @param depths one per cell: all covering surfaces are at least this near (1: at the near plane; negative:
 * nothing covers the cell)
 * @param tiles the least depth of each tile
 * @param bounds 6 floats per primitive: centre and half extents
 */
export function hideWords(
  numbers: Float64Array,
  depths: Float32Array,
  tiles: Float32Array,
  bounds: Float32Array,
  seenBits: Uint32Array,
  outBits: Uint32Array,
  beginWord: number,
  endWord: number,
): void {
  for (let word = beginWord; word < endWord; word++) {
    let result = seenBits[word] as number;
    for (let rest = result; rest !== 0; rest &= rest - 1) {
      const lowest = rest & -rest;
      const box = ((word << 5) + 31 - Math.clz32(lowest)) * 6;
      if (isBoxHidden(numbers, depths, tiles, bounds, box)) result ^= lowest;
    }
    outBits[word] = result;
  }
}

/**
 * Returns whether a box is hidden. A box is never hidden if one of its corners is beside or behind the eye, in front of
 * the near plane, or NaN, or if the box lies outside the picture.
 */
function isBoxHidden(
  numbers: Float64Array,
  depths: Float32Array,
  tiles: Float32Array,
  bounds: Float32Array,
  box: number,
): boolean {
  const x = bounds[box] as number;
  const y = bounds[box + 1] as number;
  const z = bounds[box + 2] as number;
  const extentX = bounds[box + 3] as number;
  const extentY = bounds[box + 4] as number;
  const extentZ = bounds[box + 5] as number;
  let left = Infinity;
  let right = -Infinity;
  let bottom = Infinity;
  let top = -Infinity;
  let depth = -Infinity;
  for (let corner = 0; corner < 8; corner++) {
    const px = corner & 1 ? x + extentX : x - extentX;
    const py = corner & 2 ? y + extentY : y - extentY;
    const pz = corner & 4 ? z + extentZ : z - extentZ;
    const w = row(numbers, 12, px, py, pz);
    const clipZ = row(numbers, 8, px, py, pz);
    if (!(w > LEAST_W && clipZ <= w)) return false;
    const scale = 1 / w;
    const clipX = row(numbers, 0, px, py, pz) * scale;
    const clipY = row(numbers, 4, px, py, pz) * scale;
    if (clipX < left) left = clipX;
    if (clipX > right) right = clipX;
    if (clipY < bottom) bottom = clipY;
    if (clipY > top) top = clipY;
    if (clipZ * scale > depth) depth = clipZ * scale;
  }
  const behind = depth + Math.abs(depth) * DEPTH_SHARE + LEAST_DEPTH;
  const halfWidth = numbers[GridNumber.halfWidth] as number;
  const halfHeight = numbers[GridNumber.halfHeight] as number;
  const columns = numbers[GridNumber.columns] as number;
  const slack = numbers[GridNumber.slack] as number;
  const firstColumn = Math.max(Math.floor((left + 1) * halfWidth - slack), 0);
  const lastColumn = Math.min(Math.floor((right + 1) * halfWidth + slack), columns - 1);
  const firstRow = Math.max(Math.floor((bottom + 1) * halfHeight - slack), 0);
  const lastRow = Math.min(
    Math.floor((top + 1) * halfHeight + slack),
    (numbers[GridNumber.rows] as number) - 1,
  );
  if (!(firstColumn <= lastColumn && firstRow <= lastRow)) return false;
  const tileColumns = Math.ceil(columns / TILE);
  for (let tileRow = Math.floor(firstRow / TILE); tileRow * TILE <= lastRow; tileRow++) {
    for (let tileColumn = Math.floor(firstColumn / TILE); tileColumn * TILE <= lastColumn; tileColumn++) {
      if (behind < (tiles[tileRow * tileColumns + tileColumn] as number)) continue;
      // Some cell of the tile has a smaller depth, but the box may touch only the tile's other cells.
      const endRow = Math.min(tileRow * TILE + TILE - 1, lastRow);
      const endColumn = Math.min(tileColumn * TILE + TILE - 1, lastColumn);
      for (let cellRow = Math.max(tileRow * TILE, firstRow); cellRow <= endRow; cellRow++) {
        for (let column = Math.max(tileColumn * TILE, firstColumn); column <= endColumn; column++) {
          if (!(behind < (depths[cellRow * columns + column] as number))) return false;
        }
      }
    }
  }
  return true;
}

/** Returns one coordinate of a point in clip space. */
function row(matrix: Float64Array, at: number, x: number, y: number, z: number): number {
  return (
    (matrix[at] as number) * x +
    (matrix[at + 1] as number) * y +
    (matrix[at + 2] as number) * z +
    (matrix[at + 3] as number)
  );
}
