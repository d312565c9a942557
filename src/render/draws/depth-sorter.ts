import type { FrameMemory } from '../../core/memory/frame-memory.js';
import { PrimitiveFlag, RENDER_ORDER_SHIFT } from '../../proxy/commands.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import { RadixSorter, sortableFloat } from './radix-sort.js';
import type { SortView } from './sort-view.js';

/** Offset that makes the smallest `renderOrder` 0. */
const ORDER_OFFSET = 2 ** 15;
/** Maximum number of primitives among which nested ones are looked for. Every pair is compared. */
const MOST_NESTED = 64;

/**
 * Sorts primitives by their `renderOrder`. Primitives of equal order go from back to front, by the depth of their
 * bounds' centres. A primitive inside the bounds of another one comes first, so that a liquid is drawn before its
 * bottle.
 */
export class DepthSorter {
  readonly #memory: FrameMemory;
  readonly #sorter: RadixSorter;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
    this.#sorter = new RadixSorter(memory);
  }

  /**
   * Returns the sorted ids, which are frame memory.
   * @param ids ascending ids, so that primitives at the same depth are ordered by id in every frame
   */
  sort(
    ids: Uint32Array,
    count: number,
    primitives: PrimitiveStore,
    { forward, position }: SortView,
  ): Uint32Array {
    const { bounds, flags } = primitives;
    const forwardX = forward[0] as number;
    const forwardY = forward[1] as number;
    const forwardZ = forward[2] as number;
    // The arrays have the length of `ids` instead of `count`, so that frames with other counts get the same views.
    const keys = this.#memory.words(ids.length);
    const sorted = this.#memory.words(ids.length);
    for (let index = 0; index < count; index++) {
      const primitive = ids[index] as number;
      const box = primitive * 6;
      const depth =
        (bounds[box] as number) * forwardX +
        (bounds[box + 1] as number) * forwardY +
        (bounds[box + 2] as number) * forwardZ;
      keys[index] = ~sortableFloat(depth) >>> 0;
      sorted[index] = primitive;
    }
    this.#sorter.sort(keys, sorted, count);
    if (count <= MOST_NESTED) moveNestedFirst(sorted, count, primitives, position);
    this.sortByOrder(sorted, count, flags);
    return sorted;
  }

  /** Sorts ids by their `renderOrder` only, in place. Equal numbers keep their order. */
  sortByOrder(ids: Uint32Array, count: number, flags: Int32Array): void {
    const keys = this.#memory.words(ids.length);
    let hasOrder = false;
    for (let index = 0; index < count; index++) {
      const order = (flags[ids[index] as number] as number) >> RENDER_ORDER_SHIFT;
      keys[index] = order + ORDER_OFFSET;
      hasOrder ||= order !== 0;
    }
    if (hasOrder) this.#sorter.sort(keys, ids, count);
  }
}

/**
 * Moves each primitive before the first one whose bounds contain its bounds. Bounds around the camera do not count,
 * because their visible faces are behind. Neither do primitives whose bounds are unknown.
 */
function moveNestedFirst(
  sorted: Uint32Array,
  count: number,
  { bounds, flags }: PrimitiveStore,
  camera: Float64Array | undefined,
): void {
  for (let index = 1; index < count; index++) {
    const inner = sorted[index] as number;
    let place = 0;
    while (place < index) {
      const outer = sorted[place] as number;
      const isBounded = ((flags[outer] as number) & PrimitiveFlag.alwaysSeen) === 0;
      if (isBounded && contains(bounds, outer * 6, inner * 6) && !isInside(camera, bounds, outer * 6)) break;
      place++;
    }
    for (let at = index; at > place; at--) sorted[at] = sorted[at - 1] as number;
    sorted[place] = inner;
  }
}

function isInside(camera: Float64Array | undefined, bounds: Float32Array, box: number): boolean {
  if (!camera) return false;
  for (let axis = 0; axis < 3; axis++) {
    const offset = Math.abs((camera[axis] as number) - (bounds[box + axis] as number));
    if (offset > (bounds[box + 3 + axis] as number)) return false;
  }
  return true;
}

/** Returns whether a box contains another one and is larger. @param outer, inner places of the boxes in `bounds` */
function contains(bounds: Float32Array, outer: number, inner: number): boolean {
  let isLarger = false;
  for (let axis = 0; axis < 3; axis++) {
    const offset = Math.abs((bounds[outer + axis] as number) - (bounds[inner + axis] as number));
    const outerExtent = bounds[outer + 3 + axis] as number;
    const innerExtent = bounds[inner + 3 + axis] as number;
    if (offset + innerExtent > outerExtent) return false;
    isLarger ||= outerExtent > innerExtent;
  }
  return isLarger;
}
