import { grow } from '../../core/memory/grow.js';
import { GRID_NUMBERS, GridNumber, LEAST_W, MOST_CELLS, TILE } from './box-test.js';
import type { OccluderShape } from './occluder-shape.js';

/** Minimum width and height of a cell, in pixels. */
const LEAST_PIXELS = 4;
/** Distance in pixels by which rasterizers may move a vertex. */
const SLACK_PIXELS = 0.5;
/** Depth of a cell that nothing covers. */
const OPEN = -1;
/** Flag of a cell: a triangle of the current occluder covers its middle. */
const COVERS = 1;
/** Flag of a cell: a border of the current occluder runs through it. */
const BORDERS = 2;
/**
 * Minimum of twice the area of a triangle, in square cells. Smaller triangles are ignored, and their edges become
 * borders.
 */
const LEAST_AREA = 1e-6;

/**
 * Records the cells of a view that occluders cover. A cell is several pixels wide. For a covered cell, the
 * grid stores a depth behind which no occluding surface of the cell lies. The grid is conservative: it never
 * covers too much.
 *
 *   triangles that face the view ─┬─ the triangle contains the cell's middle ─► covers ──┐
 *                                 ├─ the triangles end at the edge ───────────► borders ─┴─► covered: covers, and no border in the cell
 *                                 └─ the farthest triangle in the cell ────────────────────► depth of the cell
 *
 * If no border runs through a cell, every point of the cell lies in as many triangles as the cell's middle.
 * So two triangles that meet leave no gap between them, and a hole of any size is never closed. Triangles
 * that reach in front of the near plane are ignored, and the edges to their neighbours become borders.
 */
export class OcclusionGrid {
  /** See `GridNumber`. */
  readonly numbers = new Float64Array(GRID_NUMBERS);
  /** Depth of each cell, row by row from the bottom left. */
  readonly depths = new Float32Array(MOST_CELLS ** 2);
  /** The least depth of each `TILE` × `TILE` cells. */
  readonly tiles = new Float32Array(Math.ceil(MOST_CELLS / TILE) ** 2);
  columns = 0;
  rows = 0;
  // State of the current occluder.
  readonly #marks = new Uint8Array(MOST_CELLS ** 2);
  readonly #farthest = new Float32Array(MOST_CELLS ** 2);
  /**
   * Column, row (with fractions) and depth of each vertex; NaN if the vertex has no position on the screen.
   */
  #places = new Float64Array(0);
  #faces = new Uint8Array(0);
  readonly #matrix = new Float64Array(16);
  #left = 0;
  #right = 0;
  #bottom = 0;
  #top = 0;

  /** Per view: marks all cells as uncovered. @param clipFromWorld see `View` @param width, height pixels */
  clear(clipFromWorld: Float64Array, width: number, height: number): void {
    const pixels = Math.max(LEAST_PIXELS, width / MOST_CELLS, height / MOST_CELLS);
    const { numbers } = this;
    numbers.set(clipFromWorld);
    this.columns = numbers[GridNumber.columns] = Math.max(Math.ceil(width / pixels), 1);
    this.rows = numbers[GridNumber.rows] = Math.max(Math.ceil(height / pixels), 1);
    numbers[GridNumber.halfWidth] = width / pixels / 2;
    numbers[GridNumber.halfHeight] = height / pixels / 2;
    numbers[GridNumber.slack] = SLACK_PIXELS / pixels;
    this.depths.fill(OPEN);
  }

  /**
   * Adds an occluder.
   * @param world holds the node's matrix from `at` on, 12 numbers, 3 rows
   * @param origin see `Scene.renderOrigin`
   * @param side 1: counter-clockwise triangles are front faces; −1: clockwise ones
   */
  add(shape: OccluderShape, world: Float64Array, at: number, origin: Float64Array, side: 1 | -1): void {
    if (!this.#placeVertices(shape, world, at, origin)) return;
    const { columns } = this;
    const marks = this.#marks;
    const farthest = this.#farthest;
    for (let row = this.#bottom; row <= this.#top; row++) {
      marks.fill(0, row * columns + this.#left, row * columns + this.#right + 1);
      farthest.fill(Infinity, row * columns + this.#left, row * columns + this.#right + 1);
    }
    const { corners } = shape;
    this.#faces = grow(this.#faces, corners.length / 3);
    for (let triangle = 0; triangle * 3 < corners.length; triangle++) {
      this.#faces[triangle] = this.#fillTriangle(corners, triangle * 3, side) ? 1 : 0;
    }
    this.#markBorders(shape);
    const { depths } = this;
    for (let row = this.#bottom; row <= this.#top; row++) {
      for (let cell = row * columns + this.#left; cell <= row * columns + this.#right; cell++) {
        if (marks[cell] === COVERS && (farthest[cell] as number) > (depths[cell] as number)) {
          depths[cell] = farthest[cell] as number;
        }
      }
    }
  }

  /** Computes the depths of tiles. Called after the last occluder. */
  finish(): void {
    const { columns, rows, depths, tiles } = this;
    let tile = 0;
    for (let top = 0; top < rows; top += TILE) {
      for (let left = 0; left < columns; left += TILE) {
        let least = Infinity;
        for (let row = top; row < Math.min(top + TILE, rows); row++) {
          for (let column = left; column < Math.min(left + TILE, columns); column++) {
            least = Math.min(least, depths[row * columns + column] as number);
          }
        }
        tiles[tile++] = least;
      }
    }
  }

  /**
   * Computes where vertices lie in the grid.
   * @returns false if the occluder is entirely outside the picture, or too small to cover a cell
   */
  #placeVertices(shape: OccluderShape, world: Float64Array, at: number, origin: Float64Array): boolean {
    const { numbers } = this;
    const { positions } = shape;
    const matrix = this.#matrix;
    // Matrix from the occluder's space to clip space.
    for (let row = 0; row < 16; row += 4) {
      let offset = numbers[row + 3] as number;
      for (let axis = 0; axis < 3; axis++) {
        const factor = numbers[row + axis] as number;
        offset += factor * ((world[at + axis * 4 + 3] as number) - (origin[axis] as number));
      }
      for (let column = 0; column < 3; column++) {
        matrix[row + column] =
          (numbers[row] as number) * (world[at + column] as number) +
          (numbers[row + 1] as number) * (world[at + 4 + column] as number) +
          (numbers[row + 2] as number) * (world[at + 8 + column] as number);
      }
      matrix[row + 3] = offset;
    }
    this.#places = grow(this.#places, positions.length);
    const places = this.#places;
    const halfWidth = numbers[GridNumber.halfWidth] as number;
    const halfHeight = numbers[GridNumber.halfHeight] as number;
    let left = Infinity;
    let right = -Infinity;
    let bottom = Infinity;
    let top = -Infinity;
    for (let vertex = 0; vertex < positions.length; vertex += 3) {
      const w = this.#clip(12, positions, vertex);
      const z = this.#clip(8, positions, vertex);
      if (!(w > LEAST_W && z <= w)) {
        places[vertex] = Number.NaN;
        continue;
      }
      const x = (this.#clip(0, positions, vertex) / w + 1) * halfWidth;
      const y = (this.#clip(4, positions, vertex) / w + 1) * halfHeight;
      places[vertex] = x;
      places[vertex + 1] = y;
      places[vertex + 2] = z / w;
      left = Math.min(left, x);
      right = Math.max(right, x);
      bottom = Math.min(bottom, y);
      top = Math.max(top, y);
    }
    // A covered cell has a border cell on each side.
    if (!(right - left > 2 && top - bottom > 2)) return false;
    this.#left = Math.max(Math.floor(left), 0);
    this.#right = Math.min(Math.floor(right), this.columns - 1);
    this.#bottom = Math.max(Math.floor(bottom), 0);
    this.#top = Math.min(Math.floor(top), this.rows - 1);
    return this.#left <= this.#right && this.#bottom <= this.#top;
  }

  #clip(row: number, positions: Float64Array, at: number): number {
    const matrix = this.#matrix;
    return (
      (matrix[row] as number) * (positions[at] as number) +
      (matrix[row + 1] as number) * (positions[at + 1] as number) +
      (matrix[row + 2] as number) * (positions[at + 2] as number) +
      (matrix[row + 3] as number)
    );
  }

  /**
   * Per triangle: marks the cells that it covers.
   * @returns whether the triangle counts: it faces the view, is entirely behind the near plane, and is large enough
   */
  #fillTriangle(corners: Uint32Array, corner: number, side: 1 | -1): boolean {
    const places = this.#places;
    const a = (corners[corner] as number) * 3;
    const b = (corners[corner + (side > 0 ? 1 : 2)] as number) * 3;
    const c = (corners[corner + (side > 0 ? 2 : 1)] as number) * 3;
    const ax = places[a] as number;
    const ay = places[a + 1] as number;
    const az = places[a + 2] as number;
    const bx = (places[b] as number) - ax;
    const by = (places[b + 1] as number) - ay;
    const cx = (places[c] as number) - ax;
    const cy = (places[c + 1] as number) - ay;
    const area = bx * cy - by * cx;
    // The comparison also fails for an area of NaN, which means that a vertex has no position on the screen.
    if (!(area > LEAST_AREA)) return false;
    const bz = (places[b + 2] as number) - az;
    const cz = (places[c + 2] as number) - az;
    // Depth is linear on the screen.
    const slopeX = (bz * cy - cz * by) / area;
    const slopeY = (cz * bx - bz * cx) / area;
    const farthest = Math.min(az, az + bz, az + cz);
    const reach = (Math.abs(slopeX) + Math.abs(slopeY)) / 2;
    const firstRow = Math.max(Math.floor(ay + Math.min(0, by, cy)), this.#bottom);
    const lastRow = Math.min(Math.floor(ay + Math.max(0, by, cy)), this.#top);
    const leftmost = Math.max(Math.floor(ax + Math.min(0, bx, cx)), this.#left);
    const rightmost = Math.min(Math.floor(ax + Math.max(0, bx, cx)), this.#right);
    const { columns } = this;
    const marks = this.#marks;
    const farthestOfAll = this.#farthest;
    for (let row = firstRow; row <= lastRow; row++) {
      const y = row + 0.5 - ay;
      // Finds the cells of the row that may touch the triangle, and the cells whose middle is inside it.
      // These cells lie between the three edges.
      span.begin = leftmost;
      span.end = rightmost;
      span.middleBegin = leftmost;
      span.middleEnd = rightmost;
      narrow(bx, by, 0, 0, y, ax);
      narrow(cx - bx, cy - by, bx, by, y, ax);
      narrow(-cx, -cy, cx, cy, y, ax);
      const depthOfRow = az + slopeY * y - reach;
      for (let column = span.begin; column <= span.end; column++) {
        const cell = row * columns + column;
        const depth = Math.max(depthOfRow + slopeX * (column + 0.5 - ax), farthest);
        if (depth < (farthestOfAll[cell] as number)) farthestOfAll[cell] = depth;
        if (column >= span.middleBegin && column <= span.middleEnd) {
          marks[cell] = (marks[cell] as number) | COVERS;
        }
      }
    }
    return true;
  }

  /** Marks every cell close to a border: an edge at which the triangles that face the view end. */
  #markBorders({ edges, firstEntry, entries }: OccluderShape): void {
    const places = this.#places;
    const faces = this.#faces;
    for (let edge = 0; edge * 2 < edges.length; edge++) {
      let balance = 0;
      for (let entry = firstEntry[edge] as number; entry < (firstEntry[edge + 1] as number); entry++) {
        const value = entries[entry] as number;
        if (faces[value >>> 1] === 1) balance += value & 1 ? -1 : 1;
      }
      if (balance === 0) continue;
      const from = (edges[edge * 2] as number) * 3;
      const to = (edges[edge * 2 + 1] as number) * 3;
      this.#markLine(
        places[from] as number,
        places[from + 1] as number,
        places[to] as number,
        places[to + 1] as number,
      );
    }
  }

  #markLine(fromX: number, fromY: number, toX: number, toY: number): void {
    const { columns } = this;
    const slack = this.numbers[GridNumber.slack] as number;
    const low = Math.min(fromY, toY);
    const high = Math.max(fromY, toY);
    const slope = (toX - fromX) / (toY - fromY);
    const firstRow = Math.max(Math.floor(low - slack), this.#bottom);
    const lastRow = Math.min(Math.floor(high + slack), this.#top);
    for (let row = firstRow; row <= lastRow; row++) {
      let left = Math.min(fromX, toX);
      let right = Math.max(fromX, toX);
      if (high > low) {
        // Limits the line to the edge's part within the row.
        const atBottom = fromX + (Math.max(row - slack, low) - fromY) * slope;
        const atTop = fromX + (Math.min(row + 1 + slack, high) - fromY) * slope;
        left = Math.max(left, Math.min(atBottom, atTop));
        right = Math.min(right, Math.max(atBottom, atTop));
      }
      const first = Math.max(Math.floor(left - slack), this.#left);
      const last = Math.min(Math.floor(right + slack), this.#right);
      for (let cell = row * columns + first; cell <= row * columns + last; cell++) {
        this.#marks[cell] = (this.#marks[cell] as number) | BORDERS;
      }
    }
  }
}

/** Cells of a row that a triangle may touch, and cells whose middle is inside the triangle. */
const span = { begin: 0, end: 0, middleBegin: 0, middleEnd: 0 };
/** Tolerance by which a point on an edge counts as inside both triangles. */
const ON_EDGE = 1e-9;

/**
 * Per edge and row: removes the cells to the right of the edge from the span.
 * @param dx, dy direction of the edge
 * @param x, y a point of the edge
 * @param rowY middle of the row
 * @param from origin of x, in cells
 */
function narrow(dx: number, dy: number, x: number, y: number, rowY: number, from: number): void {
  // Inside means dx · (py − y) − dy · (px − x) ≥ 0.
  const distance = dx * (rowY - y) + dy * x;
  const reach = (Math.abs(dx) + Math.abs(dy)) / 2 + ON_EDGE;
  // Middles of cells are at column + 0.5.
  const offset = from - 0.5;
  if (dy > 0) {
    span.end = Math.min(span.end, Math.floor((distance + reach) / dy + offset));
    span.middleEnd = Math.min(span.middleEnd, Math.floor((distance + ON_EDGE) / dy + offset));
  } else if (dy < 0) {
    span.begin = Math.max(span.begin, Math.ceil((distance + reach) / dy + offset));
    span.middleBegin = Math.max(span.middleBegin, Math.ceil((distance + ON_EDGE) / dy + offset));
  } else {
    if (distance + reach < 0) span.end = -1;
    if (distance + ON_EDGE < 0) span.middleEnd = -1;
  }
}
