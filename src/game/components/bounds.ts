import type { ActorComponent } from './actor-component.js';
import { PrimitiveComponent } from './primitive-component.js';

/**
 * Opposite corners of a box in the world, in metres. Without any primitives, both corners are at the origin.
 */
export interface Bounds {
  readonly min: [number, number, number];
  readonly max: [number, number, number];
}

/** Returns the box around all pickable primitives among the components, at their current places. */
export function boundsOf(components: Iterable<ActorComponent>): Bounds {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const component of components) {
    if (component instanceof PrimitiveComponent && component.isPickable) grow(min, max, component);
  }
  return min[0] <= max[0] ? { min, max } : { min: [0, 0, 0], max: [0, 0, 0] };
}

function grow(min: number[], max: number[], drawn: PrimitiveComponent): void {
  if (drawn.skin) {
    drawn.skin.grow(min, max, drawn.geometry, drawn.morph?.slack);
    return;
  }
  const { minimum, maximum } = drawn.morph?.boxOf(drawn.geometry) ?? drawn.geometry;
  for (let place = 0; place < drawn.placeCount; place++) {
    drawn.worldFromPlace(place, matrix);
    growBox(min, max, minimum, maximum, matrix, drawn.reachBeyond(matrix));
  }
}

/** Matrix of the place (instance) that is being processed. */
const matrix: number[] = [];

/**
 * Grows a box so that it contains another box, which is transformed by a matrix.
 * @param beyond metres by which the other box is enlarged on each side
 */
function growBox(
  min: number[],
  max: number[],
  minimum: readonly number[],
  maximum: readonly number[],
  matrix: readonly number[],
  beyond: number,
): void {
  for (let row = 0; row < 3; row++) {
    let low = matrix[12 + row] as number;
    let high = low;
    for (let axis = 0; axis < 3; axis++) {
      const factor = matrix[axis * 4 + row] as number;
      const a = factor * (minimum[axis] as number);
      const b = factor * (maximum[axis] as number);
      low += Math.min(a, b);
      high += Math.max(a, b);
    }
    min[row] = Math.min(min[row] as number, low - beyond);
    max[row] = Math.max(max[row] as number, high + beyond);
  }
}
