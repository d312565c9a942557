import type { FrameMemory } from '../../core/memory/frame-memory.js';
import { grow } from '../../core/memory/grow.js';
import { DrawClass } from '../keys/draw-class.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import { DepthSorter } from './depth-sorter.js';
import type { DrawStateOrder } from './draw-state-order.js';
import { RUN_WORDS, RunWord } from './record-runs.js';
import type { SortView } from './sort-view.js';
import { MOST_LAYERS, TransmissiveLayers } from './transmissive-layers.js';

/**
 * Turns visible primitives into instanced draws. The game need not state which primitives are alike (SYSTEMS R14).
 *   visible   p0 p1 p2 p3 p4 p5          state  A B A A B C
 *   sorted    p0 p2 p3 │ p1 p4 │ p5      one draw per run; `instances` holds the primitives in this order
 *
 * Opaque primitives are sorted by the rank of their draw state. The counting sort is stable, so a run's
 * primitives stay in the order of their ids. Transmissive and blended primitives are sorted back to front, and
 * neighbours of equal state still merge:
 *
 *   early and opaque runs │ transmissive runs, layer by layer │ weighted runs │ sorted runs
 *                         ▲ opaqueRuns                        ▲ layerEnds     ▲ weightedEnd
 *
 * Weighted primitives need no order, so they are grouped by rank like opaque ones.
 *
 * Two-sided blended primitives have two runs each: their back faces, then their front faces.
 * Arrays that only a sort needs are frame memory. The others are kept from frame to frame. Sorting allocates
 * nothing once they are large enough.
 */
export class DrawList {
  /** Slots of the GPU scene in drawing order. */
  instances = new Uint32Array(64);
  /** Number of opaque primitives, early ones included. */
  opaqueCount = 0;
  /** Number of transmissive primitives, if the pass separates them. */
  transmissiveCount = 0;
  /** Number of weighted primitives, if the pass has any. */
  weightedCount = 0;
  /** Number of primitives of the class `sorted` that are neither weighted nor separated as transmissive. */
  sortedCount = 0;
  /** Words of the runs, `RUN_WORDS` per run; see `RunWord`. */
  runWords = new Uint32Array(64 * RUN_WORDS);
  runs = 0;
  opaqueRuns = 0;
  /** End of the weighted runs. */
  weightedEnd = 0;
  /** Number of layers of transmissive draws. */
  layerCount = 0;
  /** End of each layer's runs. */
  readonly layerEnds = new Uint32Array(MOST_LAYERS);
  /** Weighted primitives by rank, and early, transmissive and sorted primitives by ascending id. */
  #weighted = new Uint32Array(64);
  #early = new Uint32Array(64);
  #transmissive = new Uint32Array(64);
  #sorted = new Uint32Array(64);
  /** Primitives that the last frame drew after the opaque ones, and the number of primitives in each layer. */
  #before = new Uint32Array(64);
  #countBefore = 0;
  readonly #layerSizes = new Uint32Array(MOST_LAYERS);
  readonly #depths: DepthSorter;
  readonly #layers = new TransmissiveLayers();
  readonly #memory: FrameMemory;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
    this.#depths = new DepthSorter(memory);
  }

  /** Number of instances of all draws. */
  get count(): number {
    return this.opaqueCount + this.transmissiveCount + this.weightedCount + this.sortedCount;
  }

  /**
   * Sorts the opaque primitives and collects the others. Called per frame in which the visible set or a draw
   * state changed.
   * @param visibleBits one bit per primitive
   * @param words number of words of `visibleBits` in use
   * @param separates whether transmissive primitives are drawn after the opaque ones, instead of among them
   * @param isWeighted returns whether primitives of a rank are weighted. Default: none are.
   */
  sortOpaque(
    visibleBits: Uint32Array,
    words: number,
    primitives: PrimitiveStore,
    order: DrawStateOrder,
    separates: boolean,
    isWeighted?: (rank: number) => boolean,
  ): void {
    const { drawState, drawClass, isTransmissive } = primitives;
    const { rank, count: ranks } = order;
    this.instances = grow(this.instances, primitives.length);
    const { instances } = this;
    const opaque = this.#memory.words(instances.length);
    const counts = this.#memory.words(ranks).fill(0);
    let opaqueCount = 0;
    let earlyCount = 0;
    this.transmissiveCount = this.weightedCount = this.sortedCount = 0;
    for (let word = 0; word < words; word++) {
      let rest = visibleBits[word] as number;
      while (rest !== 0) {
        const lowest = rest & -rest;
        rest ^= lowest;
        const primitive = (word << 5) + 31 - Math.clz32(lowest);
        const drawn = drawClass[primitive] as number;
        if (separates && isTransmissive[primitive] === 1) {
          this.#transmissive = withId(this.#transmissive, this.transmissiveCount++, primitive);
        } else if (drawn === DrawClass.opaque) {
          opaque[opaqueCount++] = primitive;
          const place = rank[drawState[primitive] as number] as number;
          counts[place] = (counts[place] as number) + 1;
        } else if (
          drawn === DrawClass.sorted &&
          isWeighted?.(rank[drawState[primitive] as number] as number)
        ) {
          this.#weighted = withId(this.#weighted, this.weightedCount++, primitive);
        } else if (drawn === DrawClass.sorted) {
          this.#sorted = withId(this.#sorted, this.sortedCount++, primitive);
        } else this.#early = withId(this.#early, earlyCount++, primitive);
      }
    }
    if (this.weightedCount > 0) this.#groupWeighted(drawState, rank, ranks);
    this.opaqueCount = earlyCount + opaqueCount;
    this.runs = 0;
    let first = this.#sortEarly(earlyCount, primitives, order);
    for (let place = 0; place < ranks; place++) {
      const size = counts[place] as number;
      counts[place] = first;
      if (size > 0) this.#addRun(place, first, size);
      first += size;
    }
    this.opaqueRuns = this.runs;
    for (let index = 0; index < opaqueCount; index++) {
      const primitive = opaque[index] as number;
      const place = rank[drawState[primitive] as number] as number;
      const target = counts[place] as number;
      counts[place] = target + 1;
      instances[target] = primitive;
    }
  }

  /**
   * Per frame: sorts the primitives that are drawn after the opaque ones.
   * @returns true if their order or a layer differs from the frame before
   */
  sortByDepth(primitives: PrimitiveStore, order: DrawStateOrder, view: SortView): boolean {
    this.runs = this.opaqueRuns;
    const { transmissiveCount, weightedCount, sortedCount } = this;
    const count = transmissiveCount + weightedCount + sortedCount;
    let isChanged = this.#countBefore !== count;
    this.#countBefore = count;
    this.#before = grow(this.#before, count);
    isChanged = this.#sortTransmissive(primitives, order, view) || isChanged;
    for (let index = 0; index < weightedCount; index++) {
      const primitive = this.#weighted[index] as number;
      const at = transmissiveCount + index;
      isChanged = this.#append(primitive, at, index === 0, primitives, order) || isChanged;
    }
    this.weightedEnd = this.runs;
    if (sortedCount === 0) return isChanged;
    const sorted = this.#depths.sort(this.#sorted, sortedCount, primitives, view);
    let isNewRun = true;
    for (let index = 0; index < sortedCount; index++) {
      const at = transmissiveCount + weightedCount + index;
      isChanged = this.#append(sorted[index] as number, at, isNewRun, primitives, order) || isChanged;
      isNewRun = false;
    }
    return isChanged;
  }

  /** Groups the weighted primitives by rank. Primitives of a rank keep the order of their ids. */
  #groupWeighted(drawState: Int32Array, rank: Uint32Array, ranks: number): void {
    const count = this.weightedCount;
    const ids = this.#memory.words(this.#weighted.length);
    ids.set(this.#weighted);
    const firsts = this.#memory.words(ranks + 1).fill(0);
    for (let index = 0; index < count; index++) {
      const next = (rank[drawState[ids[index] as number] as number] as number) + 1;
      firsts[next] = (firsts[next] as number) + 1;
    }
    for (let place = 0; place < ranks; place++) {
      firsts[place + 1] = (firsts[place + 1] as number) + (firsts[place] as number);
    }
    for (let index = 0; index < count; index++) {
      const primitive = ids[index] as number;
      const place = rank[drawState[primitive] as number] as number;
      const target = firsts[place] as number;
      firsts[place] = target + 1;
      this.#weighted[target] = primitive;
    }
  }

  /** Adds the early draws, by `renderOrder`. @returns their number of instances */
  #sortEarly(count: number, primitives: PrimitiveStore, order: DrawStateOrder): number {
    if (count === 0) return 0;
    const early = this.#early;
    this.#depths.sortByOrder(early, count, primitives.flags);
    for (let index = 0; index < count; index++) {
      this.#addInstance(early[index] as number, index, index === 0, primitives, order);
    }
    return count;
  }

  #sortTransmissive(primitives: PrimitiveStore, order: DrawStateOrder, view: SortView): boolean {
    const { transmissiveCount: count, layerEnds } = this;
    const layers = this.#layers;
    this.layerCount = 0;
    if (count === 0 || !view.clipFromWorld) return false;
    const sorted = this.#depths.sort(this.#transmissive, count, primitives, view);
    layers.assign(sorted, count, primitives.bounds, view.clipFromWorld);
    this.layerCount = layers.count;
    let isChanged = false;
    let at = 0;
    for (let layer = 0; layer < layers.count; layer++) {
      const first = at;
      for (let index = 0; index < count; index++) {
        if (layers.layers[index] !== layer) continue;
        const isNewRun = at === first;
        isChanged = this.#append(sorted[index] as number, at, isNewRun, primitives, order) || isChanged;
        at++;
      }
      isChanged ||= this.#layerSizes[layer] !== at - first;
      this.#layerSizes[layer] = at - first;
      layerEnds[layer] = this.runs;
    }
    return isChanged;
  }

  /**
   * Appends a primitive to the draws.
   * @param at place after the opaque primitives
   * @param isNewRun whether the primitive may not join the run before it
   * @returns whether another primitive was at this place in the last frame
   */
  #append(
    primitive: number,
    at: number,
    isNewRun: boolean,
    primitives: PrimitiveStore,
    order: DrawStateOrder,
  ): boolean {
    this.#addInstance(primitive, this.opaqueCount + at, isNewRun, primitives, order);
    if (this.#before[at] === primitive) return false;
    this.#before[at] = primitive;
    return true;
  }

  /** Adds a primitive to the last run if that has the same state, or else a new run. @param at place in `instances` */
  #addInstance(
    primitive: number,
    at: number,
    isNewRun: boolean,
    { drawState }: PrimitiveStore,
    { rank, backRank }: DrawStateOrder,
  ): void {
    this.instances[at] = primitive;
    const state = drawState[primitive] as number;
    const place = rank[state] as number;
    const back = backRank[state] as number;
    const { runWords } = this;
    const last = (this.runs - 1) * RUN_WORDS;
    if (back >= 0) {
      this.#addRun(back, at, 1);
      this.#addRun(place, at, 1);
    } else if (!isNewRun && runWords[last] === place) {
      runWords[last + RunWord.instanceCount] = (runWords[last + RunWord.instanceCount] as number) + 1;
    } else this.#addRun(place, at, 1);
  }

  /**
   * Adds a draw of `count` instances that begin at index `first`. `rank` selects their state in the pass's
   * `DrawStateOrder`.
   */
  #addRun(rank: number, first: number, count: number): void {
    const at = this.runs++ * RUN_WORDS;
    if (at === this.runWords.length) this.runWords = grow(this.runWords, at + RUN_WORDS);
    this.runWords[at] = rank;
    this.runWords[at + RunWord.firstInstance] = first;
    this.runWords[at + RunWord.instanceCount] = count;
  }
}

/** Returns the list with an id at `index`. Few primitives are not opaque, so their lists grow as needed. */
function withId(list: Uint32Array<ArrayBuffer>, index: number, id: number): Uint32Array<ArrayBuffer> {
  const ids = grow(list, index + 1);
  ids[index] = id;
  return ids;
}
