/**
 * Functions over the casters of a shadow map or of a shadow catcher. The casters are given as one bit per primitive.
 */
import type { PrimitiveStore } from '../scene/primitive-store.js';

/** Returns whether one of the casters has moved or changed since the store's changed bits were cleared. */
export function haveCastersChanged(
  casterBits: Uint32Array,
  { changedBits, length }: Pick<PrimitiveStore, 'changedBits' | 'length'>,
): boolean {
  const words = (length + 31) >>> 5;
  for (let word = 0; word < words; word++) {
    if (((casterBits[word] as number) & (changedBits[word] as number)) !== 0) return true;
  }
  return false;
}

/**
 * Returns the largest coordinate of the casters' boxes along a direction.
 * @param direction direction of unit length
 * @param least lower limit of the result
 * @returns metres from the render origin
 */
export function castersReach(
  casterBits: Uint32Array,
  { bounds, length }: Pick<PrimitiveStore, 'bounds' | 'length'>,
  direction: Float64Array,
  least: number,
): number {
  let most = least;
  const words = (length + 31) >>> 5;
  for (let word = 0; word < words; word++) {
    let rest = casterBits[word] as number;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const box = ((word << 5) + 31 - Math.clz32(lowest)) * 6;
      let reach = 0;
      for (let axis = 0; axis < 3; axis++) {
        const along = direction[axis] as number;
        reach += along * (bounds[box + axis] as number);
        reach += Math.abs(along) * (bounds[box + 3 + axis] as number);
      }
      if (reach > most) most = reach;
    }
  }
  return most;
}
