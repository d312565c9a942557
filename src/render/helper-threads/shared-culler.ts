import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { countDropped } from '../../core/memory/array-tally.js';
import { grow, grownLength } from '../../core/memory/grow.js';
import {
  countBits,
  cullGroup,
  encloseGroup,
  GROUP_WORDS,
  GroupPlace,
  placeOfGroup,
} from '../culling/cull-groups.js';
import type { CoveredCells, Culler, PrimitiveStore } from '../scene/primitive-store.js';
import { ClipLoop } from './clip-loop.js';
import { CullArgument, HideArgument, type LoopHelpers, LoopKind } from './helper-loops.js';
import { HideTask, WORDS_PER_RANGE } from './hide-task.js';
import { RangeLoop, type RangeTask } from './range-loop.js';
import { MOST_RANGES, numbersOf, RangeWord } from './range-memory.js';
import { SharedGrid } from './shared-grid.js';

/**
 * Minimum number of groups, tested primitive by primitive, for a loop with helpers: 16,384 primitives. With fewer
 * groups, helpers cost more time than they save.
 */
const LEAST_GROUPS = 64;
/** Number of groups in a range: 2,048 primitives, about 20 µs. */
export const GROUPS_PER_RANGE = 8;
/**
 * Minimum number of visible primitives for a loop with helpers that finds the hidden primitives: about 0.2 ms of work.
 */
const LEAST_SEEN = 2048;
/**
 * Maximum number of groups for a loop with helpers. More than a million primitives that are tested one by
 * one are culled on the render thread.
 */
const MOST_GROUPS = GROUPS_PER_RANGE * MOST_RANGES;
/** Number of culls without a change after which a group gets a bounding box. */
const REST = 2;

/**
 * Arrays besides bounds that the render thread and its helpers share, in one memory. Its capacity is in words
 * of candidates.
 */
export class CullArrays {
  readonly candidates: Uint32Array;
  /** Indices of the groups whose primitives are tested one by one. */
  readonly groups: Uint32Array;
  readonly #buffer: SharedArrayBuffer;
  readonly #words: number;

  constructor(buffer: SharedArrayBuffer, words: number) {
    this.#buffer = buffer;
    this.#words = words;
    this.candidates = new Uint32Array(buffer, 0, words);
    this.groups = new Uint32Array(buffer, words * 4, words / GROUP_WORDS);
  }

  static bytes(words: number, helpers: number): number {
    return (words + words / GROUP_WORDS + helpers * words) * 4;
  }

  /**
   * Returns the results of a helper. The culling loop writes the visible bits of `groups`, in the same order. The
   * occlusion loop writes bits by primitive.
   * @param helper from 1 on
   */
  visibleOf(helper: number): Uint32Array {
    const { groups } = this;
    const begin = groups.byteOffset + groups.byteLength + (helper - 1) * this.#words * 4;
    return new Uint32Array(this.#buffer, begin, this.#words);
  }
}

/**
 * Culls thousands of primitives (SYSTEMS R13): in groups, and on several threads if the page is cross-origin
 * isolated.
 *
 *   groups at rest ─► box ─┬─ outside ─► 0            no primitive is tested
 *                          ├─ inside ──► candidates
 *                          └─ partly ──┐
 *   groups in motion ──────────────────┴─► each primitive: on this thread, or from `LEAST_GROUPS` on in a loop with helpers
 *
 * The bits always equal the result of `cullWords`.
 */
export class SharedCuller implements Culler, RangeTask {
  readonly #primitives: PrimitiveStore;
  readonly #helpers: LoopHelpers | null;
  /** The loop that helpers take part in. One loop runs at a time. */
  readonly loop: RangeLoop | null;
  readonly clips: ClipLoop | undefined;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #events: EventRing;
  /** Number of culls since the last change of each group, at most `REST`. */
  #rest = new Uint8Array(0);
  #boxes = new Float64Array(0);
  #groups = new Uint32Array(0);
  #arrays: CullArrays | null = null;
  readonly #helperBits: Uint32Array[] = [];
  #shared: Float32Array | null = null;
  #memories = 0;
  #grid: SharedGrid | null = null;
  #gridNumber = 0;
  readonly #hideTask = new HideTask(this.#helperBits);
  // State of the current cull.
  #planes: Float64Array = new Float64Array(24);
  #candidates: Uint32Array = new Uint32Array(0);
  #visibleBits: Uint32Array = new Uint32Array(0);
  #count = 0;
  #visible = 0;

  constructor(primitives: PrimitiveStore, helpers: LoopHelpers | null, events: EventRing) {
    this.#primitives = primitives;
    this.#helpers = helpers;
    this.#words = helpers ? new Int32Array(helpers.memory) : new Int32Array(0);
    this.#numbers = helpers ? numbersOf(helpers.memory) : new Float64Array(0);
    this.loop = helpers && new RangeLoop(this.#words, helpers.wake);
    this.#events = events;
    if (helpers && this.loop) this.clips = new ClipLoop(helpers, this.loop, events);
  }

  cull(planes: Float64Array, candidates: Uint32Array, visibleBits: Uint32Array, words: number): number {
    this.#planes = planes;
    this.#candidates = candidates;
    this.#visibleBits = visibleBits;
    this.#visible = this.#count = 0;
    this.#sortGroups(Math.ceil(words / GROUP_WORDS), words);
    if (this.loop && this.#count >= LEAST_GROUPS && this.#count <= MOST_GROUPS) this.#cullWithHelpers(words);
    else for (let index = 0; index < this.#count; index++) this.#cullHere(index);
    return this.#visible;
  }

  /**
   * Writes the bits of groups that are entirely inside or outside. Lists the other groups, whose primitives are
   * tested one by one.
   */
  #sortGroups(count: number, words: number): void {
    const { bounds, drawableBits, changedGroups } = this.#primitives;
    this.#rest = grow(this.#rest, count);
    this.#boxes = grow(this.#boxes, count * 6);
    this.#groups = grow(this.#groups, count);
    const rest = this.#rest;
    for (let group = 0; group < count; group++) {
      let place = GroupPlace.partly;
      if (changedGroups[group] === 1) changedGroups[group] = rest[group] = 0;
      else if ((rest[group] as number) < REST) {
        rest[group] = (rest[group] as number) + 1;
        if (rest[group] === REST) encloseGroup(this.#boxes, group, bounds, drawableBits);
      } else place = placeOfGroup(this.#planes, this.#boxes, group);
      if (place === GroupPlace.partly) this.#groups[this.#count++] = group;
      else this.#fill(group, words, place);
    }
  }

  #fill(group: number, words: number, place: GroupPlace): void {
    const end = Math.min((group + 1) * GROUP_WORDS, words);
    for (let word = group * GROUP_WORDS; word < end; word++) {
      const bits = place === GroupPlace.inside ? (this.#candidates[word] as number) : 0;
      this.#visibleBits[word] = bits;
      this.#visible += countBits(bits);
    }
  }

  /** Culls a group on this thread. The last group may reach beyond the arrays, which ignore writes there. */
  #cullHere(index: number): void {
    const group = this.#groups[index] as number;
    const target = group * GROUP_WORDS;
    const { bounds } = this.#primitives;
    cullGroup(this.#planes, bounds, this.#candidates, this.#visibleBits, group, target);
    for (let word = target; word < target + GROUP_WORDS; word++) {
      this.#visible += countBits(this.#visibleBits[word] ?? 0);
    }
  }

  #cullWithHelpers(words: number): void {
    const loop = this.loop as RangeLoop;
    const began = this.#events.begin(TimelineEvent.loop, 0);
    const { candidates, groups } = this.#share(words);
    for (let word = 0; word < words; word++) candidates[word] = this.#candidates[word] as number;
    for (let index = 0; index < this.#count; index++) groups[index] = this.#groups[index] as number;
    this.#numbers.set(this.#planes);
    this.#words[RangeWord.arguments + CullArgument.kind] = LoopKind.cull;
    this.#words[RangeWord.arguments + CullArgument.groups] = this.#count;
    loop.run(Math.ceil(this.#count / GROUPS_PER_RANGE), this);
    this.#events.end(TimelineEvent.loop, 0, began, loop.helped);
  }

  hide(
    grid: CoveredCells,
    seenBits: Uint32Array,
    seen: number,
    outBits: Uint32Array,
    words: number,
  ): boolean {
    const { loop } = this;
    if (!loop || seen < LEAST_SEEN || words > WORDS_PER_RANGE * MOST_RANGES) return false;
    const began = this.#events.begin(TimelineEvent.loop, 0);
    const { candidates } = this.#share(words);
    for (let word = 0; word < words; word++) candidates[word] = seenBits[word] as number;
    this.#shareGrid().copy(grid);
    this.#numbers.set(grid.numbers);
    const at = RangeWord.arguments;
    this.#words[at + HideArgument.kind] = LoopKind.hide;
    this.#words[at + HideArgument.grid] = this.#gridNumber;
    this.#words[at + HideArgument.words] = words;
    this.#hideTask.begin(grid, this.#primitives.bounds, seenBits, outBits, words);
    loop.run(Math.ceil(words / WORDS_PER_RANGE), this.#hideTask);
    this.#events.end(TimelineEvent.loop, 0, began, loop.helped);
    return true;
  }

  run(range: number): void {
    const end = Math.min((range + 1) * GROUPS_PER_RANGE, this.#count);
    for (let index = range * GROUPS_PER_RANGE; index < end; index++) this.#cullHere(index);
  }

  collect(range: number, helper: number): void {
    const bits = this.#helperBits[helper] as Uint32Array;
    const end = Math.min((range + 1) * GROUPS_PER_RANGE, this.#count);
    for (let index = range * GROUPS_PER_RANGE; index < end; index++) {
      const target = (this.#groups[index] as number) * GROUP_WORDS;
      for (let word = 0; word < GROUP_WORDS; word++) {
        const result = bits[index * GROUP_WORDS + word] as number;
        this.#visibleBits[target + word] = result;
        this.#visible += countBits(result);
      }
    }
  }

  #shareGrid(): SharedGrid {
    if (!this.#grid) {
      const buffer = new SharedArrayBuffer(SharedGrid.bytes);
      this.#grid = new SharedGrid(buffer);
      this.#gridNumber = ++this.#memories;
      (this.#helpers as LoopHelpers).share({ kind: 'grid', number: this.#gridNumber, buffer });
    }
    return this.#grid;
  }

  /**
   * Puts bounds and the other arrays into memory that helpers see. If an array has grown, its new memory is
   * sent to the helpers.
   */
  #share(words: number): CullArrays {
    const primitives = this.#primitives;
    const { share, count } = this.#helpers as LoopHelpers;
    const at = RangeWord.arguments;
    if (primitives.bounds !== this.#shared) {
      const buffer = new SharedArrayBuffer(primitives.bounds.byteLength);
      this.#shared = new Float32Array(buffer);
      this.#shared.set(primitives.bounds);
      countDropped(primitives.bounds);
      primitives.bounds = this.#shared;
      this.#words[at + CullArgument.bounds] = ++this.#memories;
      share({ kind: 'bounds', number: this.#memories, buffer });
    }
    if (!this.#arrays || this.#arrays.candidates.length < words) {
      const blocks = grownLength(this.#arrays?.groups.length ?? 0, Math.ceil(words / GROUP_WORDS));
      const buffer = new SharedArrayBuffer(CullArrays.bytes(blocks * GROUP_WORDS, count));
      this.#arrays = new CullArrays(buffer, blocks * GROUP_WORDS);
      for (let helper = 1; helper <= count; helper++) {
        this.#helperBits[helper] = this.#arrays.visibleOf(helper);
      }
      this.#words[at + CullArgument.arrays] = ++this.#memories;
      share({ kind: 'arrays', number: this.#memories, buffer, words: blocks * GROUP_WORDS });
    }
    return this.#arrays;
  }
}
