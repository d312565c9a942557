import { grow, growIds } from '../../core/memory/grow.js';
import type { ClipSampler } from './clip-sampler.js';

/** Culls primitives in groups. */
export interface Culler {
  /**
   * Writes the first `words` of `visibleBits`, as `cullWords` does.
   * @returns the number of visible primitives
   */
  cull(planes: Float64Array, candidates: Uint32Array, visibleBits: Uint32Array, words: number): number;
  /** Samples clips; set if there are helper threads. */
  readonly clips?: ClipSampler | undefined;
  /**
   * Writes the first `words` of `outBits`, as `hideWords` does. Called after `cull`.
   * @param seen number of set bits
   * @returns false, without writing, if helpers would save no time
   */
  hide(grid: CoveredCells, seenBits: Uint32Array, seen: number, outBits: Uint32Array, words: number): boolean;
}

/** Covered cells of a view: see `OcclusionGrid`. */
export interface CoveredCells {
  readonly numbers: Float64Array;
  readonly depths: Float32Array;
  readonly tiles: Float32Array;
}

/**
 * Every primitive of the scene in structure-of-arrays form (SYSTEMS R1: PrimitiveSceneInfo). A primitive's
 * index in these arrays and in the GPU scene is the game's id. Links are ids; −1 means none. Bounds are world
 * boxes relative to the render origin, in metres, centre and half extents, so that culling reads one tight
 * array.
 *
 *   node ──► firstOnNode ──► nextOnNode ──► …      the primitives that move when the node moves
 */
export class PrimitiveStore {
  node = new Int32Array(0);
  geometry = new Int32Array(0);
  material = new Int32Array(0);
  /** `PrimitiveFlag`, and the order of drawing from `RENDER_ORDER_SHIFT` on. */
  flags = new Int32Array(0);
  /** One bit per layer. */
  layers = new Uint32Array(0);
  /** Whether a primitive has been in no layer, so that no view shows it. */
  hasUnseen = false;
  isAlive = new Uint8Array(0);
  isMirrored = new Uint8Array(0);
  /** Mesh draw state (see `draw-states.ts`); −1: nothing to draw. */
  drawState = new Int32Array(0);
  /** `DrawClass`. */
  drawClass = new Uint8Array(0);
  /** Set if the primitive shows the scene behind it, as glass does. */
  isTransmissive = new Uint8Array(0);
  /** One bit per primitive that is drawn in front of everything, because its material does not test depth. */
  depthlessBits = new Uint32Array(0);
  /** Boxes of 6 floats: centre xyz, half extents xyz. */
  bounds: Float32Array = new Float32Array(0);
  /** One bit per primitive that exists, is visible, and has a draw state. */
  drawableBits = new Uint32Array(0);
  /** One bit per drawable primitive that casts shadows. */
  casterBits = new Uint32Array(0);
  /** One bit per drawable primitive that receives shadows. */
  receiverBits = new Uint32Array(0);
  /** One bit per primitive that picks pass through. */
  unpickedBits = new Uint32Array(0);
  /** Whether any primitive has ever had a bit of `unpickedBits`. */
  hasUnpicked = false;
  /** Primitives that have moved or changed since the bits were cleared. */
  changedBits = new Uint32Array(0);
  haveChanged = false;
  /** Number of calls of `markChanged` so far. */
  changes = 0;
  /**
   * Primitives whose transform on the GPU is out of date. Each transform is uploaded when a pass next sees the
   * primitive.
   */
  movedBits = new Uint32Array(0);
  /** One byte per 256 primitives: 1 if one of them has moved or changed since the culler's last run. */
  changedGroups = new Uint8Array(0);
  /** Culls in groups; set for thousands of primitives. */
  culler: Culler | undefined;
  /** Highest id ever used, plus one. */
  length = 0;
  /** Number of primitives that exist. */
  count = 0;
  /** First primitive of each node. */
  firstOnNode = new Int32Array(0);
  nextOnNode = new Int32Array(0);
  #previousOnNode = new Int32Array(0);

  has(primitive: number): boolean {
    return this.isAlive[primitive] === 1;
  }

  create(primitive: number, node: number, geometry: number, material: number, flags: number): void {
    this.#reserve(primitive + 1);
    if (this.has(primitive)) this.unlink(primitive);
    else {
      this.count++;
      this.isAlive[primitive] = 1;
    }
    if (primitive >= this.length) this.length = primitive + 1;
    this.geometry[primitive] = geometry;
    this.material[primitive] = material;
    this.flags[primitive] = flags;
    this.isMirrored[primitive] = 0;
    this.#link(primitive, node);
  }

  /** @param layers one bit per layer; 0: no view shows the primitive, but it may cast shadows */
  setLayers(primitive: number, layers: number): void {
    this.layers[primitive] = layers;
    if (layers === 0) this.hasUnseen = true;
  }

  destroy(primitive: number): void {
    this.unlink(primitive);
    this.isAlive[primitive] = 0;
    this.setDrawable(primitive, false, false, false);
    this.count--;
  }

  /**
   * Sets the bits of a primitive.
   * @param castsShadow, receivesShadow apply only if the primitive is drawable
   */
  setDrawable(primitive: number, isDrawable: boolean, castsShadow: boolean, receivesShadow: boolean): void {
    setBit(this.drawableBits, primitive, isDrawable);
    setBit(this.casterBits, primitive, isDrawable && castsShadow);
    setBit(this.receiverBits, primitive, isDrawable && receivesShadow);
  }

  /** Sets whether picks hit a primitive. */
  setPicked(primitive: number, isPicked: boolean): void {
    setBit(this.unpickedBits, primitive, !isPicked);
    if (!isPicked) this.hasUnpicked = true;
  }

  /** Sets when and how a primitive is drawn. @param isDepthless see `depthlessBits` */
  setDrawing(primitive: number, drawClass: number, isTransmissive: boolean, isDepthless: boolean): void {
    this.drawClass[primitive] = drawClass;
    this.isTransmissive[primitive] = isTransmissive ? 1 : 0;
    setBit(this.depthlessBits, primitive, isDepthless);
  }

  /** Marks a primitive that has moved or changed in another way. Called per such primitive. */
  markChanged(primitive: number): void {
    const word = primitive >>> 5;
    const bit = 1 << (primitive & 31);
    this.changedBits[word] = (this.changedBits[word] as number) | bit;
    this.movedBits[word] = (this.movedBits[word] as number) | bit;
    this.changedGroups[word >>> 3] = 1;
    this.haveChanged = true;
    this.changes++;
  }

  clearChanged(): void {
    if (this.haveChanged) this.changedBits.fill(0);
    this.haveChanged = false;
  }

  #link(primitive: number, node: number): void {
    this.node[primitive] = node;
    // NO_ID reads as −1: the primitive is on no node, so it is not drawn.
    if ((this.node[primitive] as number) < 0) return;
    this.firstOnNode = growIds(this.firstOnNode, node + 1);
    const next = this.firstOnNode[node] as number;
    this.nextOnNode[primitive] = next;
    this.#previousOnNode[primitive] = -1;
    if (next >= 0) this.#previousOnNode[next] = primitive;
    this.firstOnNode[node] = primitive;
  }

  /** Removes a primitive from its node. */
  unlink(primitive: number): void {
    const node = this.node[primitive] as number;
    if (node < 0) return;
    const previous = this.#previousOnNode[primitive] as number;
    const next = this.nextOnNode[primitive] as number;
    if (previous >= 0) this.nextOnNode[previous] = next;
    else this.firstOnNode[node] = next;
    if (next >= 0) this.#previousOnNode[next] = previous;
    this.node[primitive] = this.#previousOnNode[primitive] = this.nextOnNode[primitive] = -1;
  }

  #reserve(length: number): void {
    if (length <= this.isAlive.length) return;
    this.isAlive = grow(this.isAlive, length);
    const capacity = this.isAlive.length;
    this.flags = grow(this.flags, capacity);
    this.layers = grow(this.layers, capacity);
    this.isMirrored = grow(this.isMirrored, capacity);
    this.drawClass = grow(this.drawClass, capacity);
    this.isTransmissive = grow(this.isTransmissive, capacity);
    this.bounds = grow(this.bounds, capacity * 6);
    const words = (capacity + 31) >>> 5;
    this.drawableBits = grow(this.drawableBits, words);
    this.casterBits = grow(this.casterBits, words);
    this.depthlessBits = grow(this.depthlessBits, words);
    this.receiverBits = grow(this.receiverBits, words);
    this.unpickedBits = grow(this.unpickedBits, words);
    this.changedBits = grow(this.changedBits, words);
    this.movedBits = grow(this.movedBits, words);
    this.changedGroups = grow(this.changedGroups, (words + 7) >>> 3);
    this.node = growIds(this.node, capacity);
    this.geometry = growIds(this.geometry, capacity);
    this.material = growIds(this.material, capacity);
    this.drawState = growIds(this.drawState, capacity);
    this.nextOnNode = growIds(this.nextOnNode, capacity);
    this.#previousOnNode = growIds(this.#previousOnNode, capacity);
  }
}

function setBit(bits: Uint32Array, index: number, value: boolean): void {
  const word = index >>> 5;
  const bit = 1 << (index & 31);
  const before = bits[word] as number;
  bits[word] = value ? before | bit : before & ~bit;
}
