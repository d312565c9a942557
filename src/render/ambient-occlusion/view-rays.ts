import { Projection } from '../../proxy/commands.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { View } from '../views/view.js';

/**
 * Numbers with which a pixel and its depth become a position in the camera's space: x to the right, y up, z forward.
 * They follow from the matrix of the view, so they are right for each projection, range of depth and crop.
 *
 *   x = (ndc − offset) ÷ scale × z     z = depthOffset ÷ (depth + depthScale)      perspective
 *   x = (ndc − offset) ÷ scale         z = (depthOffset − depth) ÷ depthScale      orthographic
 */
export class ViewRays {
  readonly scale = new Float64Array(2);
  readonly offset = new Float64Array(2);
  depthScale = 0;
  depthOffset = 0;
  isOrthographic = false;

  /** Per frame: computes the numbers. */
  update({ clipFromWorld, forward, position }: View, { projection }: ViewParameters): void {
    this.isOrthographic = projection === Projection.orthographic;
    for (let axis = 0; axis < 2; axis++) {
      const along = rowTimes(clipFromWorld, axis, forward);
      let squared = 0;
      for (let column = 0; column < 3; column++) {
        const across = (clipFromWorld[axis * 4 + column] as number) - along * (forward[column] as number);
        squared += across * across;
      }
      this.scale[axis] = Math.sqrt(squared);
      this.offset[axis] = this.isOrthographic ? constantOf(clipFromWorld, axis, position) : along;
    }
    this.depthScale = -rowTimes(clipFromWorld, 2, forward);
    this.depthOffset = constantOf(clipFromWorld, 2, position);
  }
}

function rowTimes(matrix: Float64Array, row: number, vector: Float64Array): number {
  let sum = 0;
  for (let column = 0; column < 3; column++) {
    sum += (matrix[row * 4 + column] as number) * (vector[column] as number);
  }
  return sum;
}

/** Returns a clip coordinate of the camera's position. */
const constantOf = (matrix: Float64Array, row: number, position: Float64Array): number =>
  rowTimes(matrix, row, position) + (matrix[row * 4 + 3] as number);
