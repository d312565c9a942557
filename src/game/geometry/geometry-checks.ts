/** Checks of the numbers of a geometry, at creation and at updates. */
import { SceneError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { isFloat } from '../transforms/transform-view.js';

/** Throws `geometry-attribute-length` or `geometry-not-finite`. */
export function checkAttribute(
  name: string,
  attribute: string,
  values: ArrayLike<number> | undefined,
  vertexCount: number,
  size: number,
): void {
  if (values === undefined) return;
  if (values.length !== vertexCount * size) {
    throw new SceneError(
      'geometry-attribute-length',
      `${attribute} of geometry "${name}" has ${values.length} numbers, not ${vertexCount * size}: ${size} per vertex.`,
    );
  }
  for (let index = 0; index < values.length; index++) {
    if (!isFloat(values[index])) {
      throw new SceneError(
        'geometry-not-finite',
        `${attribute} of geometry "${name}" has ${shownValue(values[index])} at ${index} (vertex ${Math.floor(index / size)}); every number has to be finite.`,
      );
    }
  }
}

/** Throws `geometry-index-out-of-range`. */
export function checkIndices(name: string, indices: ArrayLike<number>, vertexCount: number): void {
  for (let index = 0; index < indices.length; index++) {
    const vertex = indices[index] as number;
    if (!(Number.isInteger(vertex) && vertex >= 0 && vertex < vertexCount)) {
      throw new SceneError(
        'geometry-index-out-of-range',
        `Index ${index} of geometry "${name}" is ${vertex}; its vertices are 0 to ${vertexCount - 1}.`,
      );
    }
  }
}
