import type { PrimitiveStore } from '../scene/primitive-store.js';
import { dot } from './light-basis.js';

/** The depths and the bounding sphere of visible primitives that receive shadows. */
export class VisibleRange {
  /** Metres along the view to the nearest point; greater than `far` if there are no such primitives. */
  near = Infinity;
  /** Metres along the view to the farthest point. */
  far = -Infinity;
  /** Centre of a sphere around these primitives, in metres from the render origin. */
  readonly center = new Float64Array(3);
  /** Radius of the sphere, in metres. */
  radius = 0;
  readonly #minimum = new Float64Array(3);
  readonly #maximum = new Float64Array(3);

  /**
   * Per frame and view: measures the visible receivers.
   * @param visibleBits one bit per primitive
   * @param position metres from the render origin
   * @param forward unit length
   */
  measure(
    visibleBits: Uint32Array,
    { bounds, receiverBits, length }: PrimitiveStore,
    position: Float64Array,
    forward: Float64Array,
  ): void {
    const begin = dot(forward, position);
    const minimum = this.#minimum.fill(Infinity);
    const maximum = this.#maximum.fill(-Infinity);
    let near = Infinity;
    let far = -Infinity;
    const words = (length + 31) >>> 5;
    for (let word = 0; word < words; word++) {
      let rest = (visibleBits[word] as number) & (receiverBits[word] as number);
      while (rest !== 0) {
        const lowest = rest & -rest;
        rest ^= lowest;
        const box = ((word << 5) + 31 - Math.clz32(lowest)) * 6;
        let depth = -begin;
        let reach = 0;
        for (let axis = 0; axis < 3; axis++) {
          const center = bounds[box + axis] as number;
          const extent = bounds[box + 3 + axis] as number;
          const along = forward[axis] as number;
          depth += center * along;
          reach += extent * Math.abs(along);
          if (center - extent < (minimum[axis] as number)) minimum[axis] = center - extent;
          if (center + extent > (maximum[axis] as number)) maximum[axis] = center + extent;
        }
        if (depth - reach < near) near = depth - reach;
        if (depth + reach > far) far = depth + reach;
      }
    }
    this.near = near;
    this.far = far;
    let squared = 0;
    for (let axis = 0; axis < 3; axis++) {
      const low = minimum[axis] as number;
      const high = maximum[axis] as number;
      this.center[axis] = (low + high) / 2;
      squared += ((high - low) / 2) ** 2;
    }
    this.radius = Math.sqrt(squared);
  }
}
