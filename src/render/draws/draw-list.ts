import type { FrameMemory } from '../../core/memory/frame-memory.js';
import { grow } from '../../core/memory/grow.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import { BlendedOrder } from './blended-order.js';
import type { DrawStateOrder } from './draw-state-order.js';
import { RUN_WORDS, RunWord } from './record-runs.js';

/**
 * Turns visible primitives into instanced draws. The game need not say which primitives are alike (SYSTEMS
 * R14).
 *   visible   p0 p1 p2 p3 p4 p5          state  A B A A B C
 *   sorted    p0 p2 p3 │ p1 p4 │ p5      one draw per run; `instances` holds the primitives in this order
 *
 * Opaque primitives are sorted by the rank of their draw state. The counting sort is stable, so a run's
 * primitives stay in the order of their ids. Blended primitives are sorted back to front, and neighbours of
 * equal state still merge. Arrays that only a sort needs are frame memory. The others are kept from frame to
 * frame. Sorting allocates nothing once they are large enough.
 */
export class DrawList {
  /** Slots of the GPU scene in drawing order: opaque runs, then blended runs. */
  instances = new Uint32Array(64);
  opaqueCount = 0;
  blendedCount = 0;
  /** Words of the runs, `RUN_WORDS` per run; see `RunWord`. */
  runWords = new Uint32Array(64 * RUN_WORDS);
  runs = 0;
  #opaqueRuns = 0;
  /** Blended primitives by ascending id. */
  blended = new Uint32Array(64);
  #blendedOrder: BlendedOrder | undefined;
  readonly #memory: FrameMemory;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
  }

  /**
   * Sorts the opaque primitives and collects the blended ones. Called per frame in which the visible set or a
   * draw state changed.
   * @param visibleBits one bit per primitive
   * @param words number of words of `visibleBits` in use
   */
  sortOpaque(
    visibleBits: Uint32Array,
    words: number,
    primitives: PrimitiveStore,
    order: DrawStateOrder,
  ): void {
    const { drawState, isBlended } = primitives;
    const { rank, count: ranks } = order;
    this.#reserve(primitives.length);
    const { instances, blended } = this;
    const opaque = this.#memory.words(instances.length);
    const counts = this.#memory.words(ranks).fill(0);
    let opaqueCount = 0;
    let blendedCount = 0;
    for (let word = 0; word < words; word++) {
      let rest = visibleBits[word] as number;
      while (rest !== 0) {
        const lowest = rest & -rest;
        rest ^= lowest;
        const primitive = (word << 5) + 31 - Math.clz32(lowest);
        if (isBlended[primitive] === 1) blended[blendedCount++] = primitive;
        else {
          opaque[opaqueCount++] = primitive;
          const place = rank[drawState[primitive] as number] as number;
          counts[place] = (counts[place] as number) + 1;
        }
      }
    }
    this.opaqueCount = opaqueCount;
    this.blendedCount = blendedCount;
    this.runs = 0;
    let first = 0;
    for (let place = 0; place < ranks; place++) {
      const size = counts[place] as number;
      counts[place] = first;
      if (size > 0) this.addRun(place, first, size);
      first += size;
    }
    this.#opaqueRuns = this.runs;
    for (let index = 0; index < opaqueCount; index++) {
      const primitive = opaque[index] as number;
      const place = rank[drawState[primitive] as number] as number;
      const target = counts[place] as number;
      counts[place] = target + 1;
      instances[target] = primitive;
    }
  }

  /**
   * Per frame: sorts the blended primitives.
   * @param forward direction of view, unit length
   * @returns true if their order differs from that of the frame before
   */
  sortBlended(primitives: PrimitiveStore, order: DrawStateOrder, forward: Float64Array): boolean {
    this.runs = this.#opaqueRuns;
    if (this.blendedCount > 0) this.#blendedOrder ??= new BlendedOrder(this.#memory);
    return this.#blendedOrder?.sort(this, primitives, order, forward) ?? false;
  }

  /** Adds a draw of `count` instances from `first` on, with the state that the pass's order has at `rank`. */
  addRun(rank: number, first: number, count: number): void {
    const at = this.runs++ * RUN_WORDS;
    if (at === this.runWords.length) this.runWords = grow(this.runWords, at + RUN_WORDS);
    this.runWords[at] = rank;
    this.runWords[at + RunWord.firstInstance] = first;
    this.runWords[at + RunWord.instanceCount] = count;
  }

  /** Extends the last run by one instance. */
  extendRun(): void {
    const at = (this.runs - 1) * RUN_WORDS + RunWord.instanceCount;
    this.runWords[at] = (this.runWords[at] as number) + 1;
  }

  #reserve(length: number): void {
    if (length <= this.instances.length) return;
    this.instances = grow(this.instances, length);
    this.blended = grow(this.blended, length);
  }
}
