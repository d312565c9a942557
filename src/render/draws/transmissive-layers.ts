import { grow } from '../../core/memory/grow.js';

/** Maximum number of layers. Surfaces of one layer do not show each other. */
export const MOST_LAYERS = 3;
/** Maximum number of surfaces that are distributed over layers. Every pair is compared. */
const MOST_LAYERED = 128;
/** Numbers per rectangle: left, right, bottom, top, in clip space divided by w. */
const RECTANGLE = 4;

/**
 * Distributes transmissive primitives over layers. A surface shows the picture behind its layer, so a surface
 * that overlaps a farther one on the screen is in a later layer. `MOST_LAYERS` and `MOST_LAYERED` limit this.
 *
 *   camera ◁   C overlaps B ─┐   B overlaps A ─┐   A   D overlaps nothing
 *              layer 2       └── layer 1       └── layer 0
 */
export class TransmissiveLayers {
  /** Layer of each primitive, in the order of `assign`. */
  layers = new Uint8Array(0);
  /** Number of layers. */
  count = 0;
  #rectangles = new Float64Array(0);

  /**
   * Per frame: assigns the layers.
   * @param sorted primitives, back to front
   * @param clipFromWorld row-major matrix of the view
   */
  assign(sorted: Uint32Array, count: number, bounds: Float32Array, clipFromWorld: Float64Array): void {
    this.layers = grow(this.layers, count);
    this.#rectangles = grow(this.#rectangles, MOST_LAYERED * RECTANGLE);
    const { layers } = this;
    // Farther surfaces beyond the limit share the first layer.
    const first = Math.max(0, count - MOST_LAYERED);
    layers.fill(0, 0, count);
    let highest = 0;
    for (let index = first; index < count; index++) {
      const at = (index - first) * RECTANGLE;
      writeRectangle(bounds, (sorted[index] as number) * 6, clipFromWorld, this.#rectangles, at);
      let layer = 0;
      for (let other = first; other < index; other++) {
        const below = layers[other] as number;
        if (below >= layer && this.#overlap(at, (other - first) * RECTANGLE)) layer = below + 1;
      }
      layers[index] = layer;
      highest = Math.max(highest, layer);
    }
    // If there are too many layers, the farthest ones become one. Errors are less visible there.
    const surplus = Math.max(0, highest - (MOST_LAYERS - 1));
    for (let index = first; surplus > 0 && index < count; index++) {
      layers[index] = Math.max(0, (layers[index] as number) - surplus);
    }
    this.count = count === 0 ? 0 : highest - surplus + 1;
  }

  #overlap(a: number, b: number): boolean {
    const r = this.#rectangles;
    return (
      (r[a] as number) < (r[b + 1] as number) &&
      (r[b] as number) < (r[a + 1] as number) &&
      (r[a + 2] as number) < (r[b + 3] as number) &&
      (r[b + 2] as number) < (r[a + 3] as number)
    );
  }
}

/** Writes the rectangle on the screen that contains a box. */
function writeRectangle(
  bounds: Float32Array,
  box: number,
  clipFromWorld: Float64Array,
  rectangles: Float64Array,
  at: number,
): void {
  rectangles[at] = rectangles[at + 2] = Infinity;
  rectangles[at + 1] = rectangles[at + 3] = -Infinity;
  for (let corner = 0; corner < 8; corner++) {
    const x = coordinate(bounds, box, 0, corner & 1);
    const y = coordinate(bounds, box, 1, corner & 2);
    const z = coordinate(bounds, box, 2, corner & 4);
    const w = product(clipFromWorld, 12, x, y, z);
    if (w <= 0) {
      // The box reaches behind the camera, so it may cover the whole screen.
      rectangles[at] = rectangles[at + 2] = -1;
      rectangles[at + 1] = rectangles[at + 3] = 1;
      return;
    }
    for (let axis = 0; axis < 2; axis++) {
      const place = product(clipFromWorld, axis * 4, x, y, z) / w;
      const side = at + axis * 2;
      rectangles[side] = Math.min(rectangles[side] as number, place);
      rectangles[side + 1] = Math.max(rectangles[side + 1] as number, place);
    }
  }
}

function coordinate(bounds: Float32Array, box: number, axis: number, isUpper: number): number {
  const extent = bounds[box + 3 + axis] as number;
  return (bounds[box + axis] as number) + (isUpper ? extent : -extent);
}

function product(matrix: Float64Array, row: number, x: number, y: number, z: number): number {
  return (
    (matrix[row] as number) * x +
    (matrix[row + 1] as number) * y +
    (matrix[row + 2] as number) * z +
    (matrix[row + 3] as number)
  );
}
