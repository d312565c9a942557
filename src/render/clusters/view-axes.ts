import { GpuView } from '../buffers/gpu-layouts.js';
import type { View } from '../views/view.js';

/** A point in the axes of a view: metres along each axis, from the camera. */
interface ViewPlace {
  x: number;
  y: number;
  depth: number;
}

/**
 * The axes of a view, in metres: x and y point right and up in its picture, and depth points along the
 * direction of view. Clip coordinates, by axis of the picture:
 *
 *   perspective    scale · x / depth + slope          slope and offset are 0, except for a part of the picture
 *   orthographic   scale · x + offset
 */
export class ViewAxes {
  isPerspective = true;
  readonly #rows = new Float64Array(12);
  readonly #scale = new Float64Array(2);
  readonly #slope = new Float64Array(2);
  readonly #offset = new Float64Array(2);

  /** Reads the axes of a view. Called per frame and view. */
  read({ clipFromWorld, forward, position, packedWords }: View): void {
    const rows = this.#rows;
    this.isPerspective = packedWords[GpuView.at.isOrthographic] === 0;
    for (let element = 0; element < 8; element++) rows[element] = clipFromWorld[element] as number;
    rows.set(forward, 8);
    rows[11] = -dot3(forward, 0, position);
    for (let axis = 0; axis < 2; axis++) {
      const row = axis * 4;
      const slope = dot3(rows, row, forward);
      this.#slope[axis] = slope;
      const [x, y, z] = [rows[row] as number, rows[row + 1] as number, rows[row + 2] as number];
      this.#scale[axis] = Math.sqrt(x * x + y * y + z * z - slope * slope);
      this.#offset[axis] = dot3(rows, row, position) + (rows[row + 3] as number);
    }
  }

  /** Converts a point, relative to the render origin, to the axes of the view. */
  place(x: number, y: number, z: number, out: ViewPlace): void {
    out.depth = this.#dot(8, x, y, z);
    out.x = this.#alongPicture(0, this.#dot(0, x, y, z), out.depth);
    out.y = this.#alongPicture(1, this.#dot(4, x, y, z), out.depth);
  }

  /** Returns the lowest clip coordinate that a point at `along` metres along an axis can have between two depths. */
  lowest(axis: 0 | 1, along: number, nearer: number, farther: number): number {
    return this.#clip(axis, along, along < 0 ? nearer : farther);
  }

  /** Returns the highest clip coordinate that a point at `along` metres along an axis can have between two depths. */
  highest(axis: 0 | 1, along: number, nearer: number, farther: number): number {
    return this.#clip(axis, along, along > 0 ? nearer : farther);
  }

  #clip(axis: 0 | 1, along: number, depth: number): number {
    const scaled = (this.#scale[axis] as number) * along;
    if (!this.isPerspective) return scaled + (this.#offset[axis] as number);
    return scaled / depth + (this.#slope[axis] as number);
  }

  #dot(row: number, x: number, y: number, z: number): number {
    const rows = this.#rows;
    return (
      (rows[row] as number) * x +
      (rows[row + 1] as number) * y +
      (rows[row + 2] as number) * z +
      (rows[row + 3] as number)
    );
  }

  #alongPicture(axis: 0 | 1, clip: number, depth: number): number {
    const rest = (this.#slope[axis] as number) * depth + (this.#offset[axis] as number);
    return (clip - rest) / (this.#scale[axis] as number);
  }
}

function dot3(row: Float64Array, at: number, vector: Float64Array): number {
  return (
    (row[at] as number) * (vector[0] as number) +
    (row[at + 1] as number) * (vector[1] as number) +
    (row[at + 2] as number) * (vector[2] as number)
  );
}
