import type { FrameMemory } from '../../core/memory/frame-memory.js';
import { grow } from '../../core/memory/grow.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import type { DrawList } from './draw-list.js';
import type { DrawStateOrder } from './draw-state-order.js';
import { RadixSorter, sortableFloat } from './radix-sort.js';

/**
 * Sorts a draw list's blended primitives back to front, by the distance of their bounds' centres along the
 * view. Neighbours of equal draw state become one draw. Keys and sorted ids are frame memory.
 */
export class BlendedOrder {
  /** The order of the last frame. */
  #before = new Uint32Array(64);
  #countBefore = 0;
  readonly #memory: FrameMemory;
  readonly #sorter: RadixSorter;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
    this.#sorter = new RadixSorter(memory);
  }

  /**
   * Appends the blended instances and runs to the list, after the opaque ones. Returns whether their order
   * differs from the last frame's.
   */
  sort(list: DrawList, primitives: PrimitiveStore, order: DrawStateOrder, forward: Float64Array): boolean {
    const { blendedCount: count, opaqueCount, instances, blended } = list;
    this.#before = grow(this.#before, count);
    const { bounds, drawState } = primitives;
    const { rank } = order;
    const forwardX = forward[0] as number;
    const forwardY = forward[1] as number;
    const forwardZ = forward[2] as number;
    const capacity = this.#before.length;
    const keys = this.#memory.words(capacity);
    // `blended` keeps ascending ids, and a copy is sorted. So primitives at the same depth are ordered by id
    // in every frame.
    const values = this.#memory.words(capacity);
    for (let index = 0; index < count; index++) {
      const primitive = blended[index] as number;
      const box = primitive * 6;
      const depth =
        (bounds[box] as number) * forwardX +
        (bounds[box + 1] as number) * forwardY +
        (bounds[box + 2] as number) * forwardZ;
      keys[index] = ~sortableFloat(depth) >>> 0;
      values[index] = primitive;
    }
    this.#sorter.sort(keys, values, count);
    let isChanged = count !== this.#countBefore;
    this.#countBefore = count;
    let runRank = -1;
    for (let index = 0; index < count; index++) {
      const primitive = values[index] as number;
      if (this.#before[index] !== primitive) {
        this.#before[index] = primitive;
        isChanged = true;
      }
      instances[opaqueCount + index] = primitive;
      const place = rank[drawState[primitive] as number] as number;
      if (place === runRank) list.extendRun();
      else list.addRun(place, opaqueCount + index, 1);
      runRank = place;
    }
    return isChanged;
  }
}
