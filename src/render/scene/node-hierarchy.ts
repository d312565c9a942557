import { SceneError } from '../../core/errors.js';
import { countGrown } from '../../core/memory/array-tally.js';
import { grow, growIds } from '../../core/memory/grow.js';
import { PLACE_POSITIONS, PLACE_ROTATIONS, PLACE_SCALES, PLACE_WORDS } from '../../proxy/place-record.js';
import {
  NODE_WORD,
  ROTATION_WORD,
  SCALE_WORD,
  TRANSFORM_DOUBLES,
  TRANSFORM_WORDS,
  TransformArray,
} from '../../proxy/transform-array.js';

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];

/**
 * The transform hierarchy in structure-of-arrays form (SYSTEMS R1). Links are ids; −1 means none. A node's
 * local transform is a position of 64 bits, a rotation and a scale (`TransformArray`). Its world transform is the
 * top three rows of `worldFromLocal`, 12 doubles, in metres. Doubles keep a chain of nodes precise thousands of
 * kilometres from the origin.
 *
 *   setTransforms  → dirty list ──┐
 *   attach, create → dirty list ──┴─► propagate ─► world transforms, and the list of nodes that moved
 *
 * A node without a parent and without children takes a fast path, which computes one matrix from ten numbers
 * and follows no links.
 */
export class NodeHierarchy {
  /** 12 doubles per node: rows of `worldFromLocal`. */
  world = new Float64Array(0);
  readonly local = new TransformArray(0);
  parent = new Int32Array(0);
  firstChild = new Int32Array(0);
  nextSibling = new Int32Array(0);
  #previousSibling = new Int32Array(0);
  #isAlive = new Uint8Array(0);
  #isDirty = new Uint8Array(0);
  #dirtyNodes = new Uint32Array(64);
  #dirtyCount = 0;
  /** Nodes whose world transform the last `propagate` wrote, each once. */
  movedNodes = new Uint32Array(64);
  movedCount = 0;
  /** Increases when a node gets another parent or is destroyed. */
  version = 0;
  /** Number of nodes that exist. */
  count = 0;
  /** Number of the `propagate` call that wrote each node last. */
  #writtenAt = new Uint32Array(0);
  /** Number of the last `propagate` call. */
  #propagation = 0;

  has(node: number): boolean {
    return this.#isAlive[node] === 1;
  }

  /** Returns whether the last `propagate` wrote the node's world transform. */
  hasMoved(node: number): boolean {
    return this.#writtenAt[node] === this.#propagation;
  }

  /**
   * Creates a node with the identity transform. If the id exists, the node is reset and keeps its children.
   * @throws SceneError as `attach`, before any change
   */
  create(node: number, parent: number): void {
    this.#checkParent(node, parent);
    this.#reserve(node + 1);
    if (this.#isAlive[node]) this.#unlink(node);
    else {
      this.#isAlive[node] = 1;
      this.count++;
    }
    this.local.write(node, IDENTITY);
    this.#link(node, parent);
  }

  /**
   * Changes the parent (−1: none) and keeps the local transform.
   * @throws SceneError `cyclic-attachment`, `unknown-node`
   */
  attach(node: number, parent: number): void {
    this.#requireAlive(node);
    this.#checkParent(node, parent);
    this.version++;
    this.#unlink(node);
    this.#link(node, parent);
  }

  /** Removes a node. Its children become roots and keep their local transforms. */
  destroy(node: number): void {
    if (!this.has(node)) return;
    this.version++;
    let child = this.firstChild[node] as number;
    while (child >= 0) {
      const next = this.nextSibling[child] as number;
      this.#unlink(child);
      this.#markDirty(child);
      child = next;
    }
    this.#unlink(node);
    this.#isAlive[node] = 0;
    this.count--;
  }

  /**
   * Per frame: sets the local transforms in `words`, each of which names its node. Unknown nodes are skipped, because
   * their actor was destroyed in the same frame.
   * @param length in words
   */
  setTransforms(words: Uint32Array, from: number, length: number): void {
    const local = this.local.words;
    const isAlive = this.#isAlive;
    const isDirty = this.#isDirty;
    for (let source = from; source < from + length; source += TRANSFORM_WORDS) {
      const node = words[source + NODE_WORD] as number;
      if (isAlive[node] !== 1) continue;
      // Unrolled, because a loop takes 1.7 times as long.
      const target = node * TRANSFORM_WORDS;
      local[target] = words[source] as number;
      local[target + 1] = words[source + 1] as number;
      local[target + 2] = words[source + 2] as number;
      local[target + 3] = words[source + 3] as number;
      local[target + 4] = words[source + 4] as number;
      local[target + 5] = words[source + 5] as number;
      local[target + 6] = words[source + 6] as number;
      local[target + 7] = words[source + 7] as number;
      local[target + 8] = words[source + 8] as number;
      local[target + 9] = words[source + 9] as number;
      local[target + 10] = words[source + 10] as number;
      local[target + 11] = words[source + 11] as number;
      local[target + 12] = words[source + 12] as number;
      if (isDirty[node] === 0) this.#markDirty(node);
    }
  }

  /**
   * Per frame: sets the local transforms of places, whose words are in the layout of `place-record.ts`. Unknown nodes
   * are skipped. A transform that is not finite, or a rotation of zeros, is skipped too, and its node keeps its last
   * transform.
   * @param length in words
   * @throws SceneError `transform-not-finite`, `rotation-zero` after all other places are set
   */
  setPlaces(words: Uint32Array, floats: Float32Array, from: number, length: number): void {
    const local = this.local;
    const { doubles } = local;
    const targets = local.floats;
    const isAlive = this.#isAlive;
    const isDirty = this.#isDirty;
    const count = length / PLACE_WORDS;
    let position = from + count * PLACE_POSITIONS;
    let rotation = from + count * PLACE_ROTATIONS;
    let scale = from + count * PLACE_SCALES;
    let refused = -1;
    for (let index = from; index < from + count; index++, position += 3, rotation += 4, scale += 3) {
      const node = words[index] as number;
      if (isAlive[node] !== 1) continue;
      const px = floats[position] as number;
      const py = floats[position + 1] as number;
      const pz = floats[position + 2] as number;
      const x = floats[rotation] as number;
      const y = floats[rotation + 1] as number;
      const z = floats[rotation + 2] as number;
      const w = floats[rotation + 3] as number;
      const sx = floats[scale] as number;
      const sy = floats[scale + 1] as number;
      const sz = floats[scale + 2] as number;
      const factor = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
      // One infinite number or NaN makes the sum infinite or NaN. For an invalid rotation, `factor` is 0, infinite or
      // NaN.
      const sum = Math.abs(px) + Math.abs(py) + Math.abs(pz) + Math.abs(sx) + Math.abs(sy) + Math.abs(sz);
      if (!(sum < Infinity && factor > 0 && factor < Infinity)) {
        refused = index - from;
        continue;
      }
      const to = node * TRANSFORM_DOUBLES;
      doubles[to] = px;
      doubles[to + 1] = py;
      doubles[to + 2] = pz;
      const target = node * TRANSFORM_WORDS;
      targets[target + ROTATION_WORD] = x * factor;
      targets[target + ROTATION_WORD + 1] = y * factor;
      targets[target + ROTATION_WORD + 2] = z * factor;
      targets[target + ROTATION_WORD + 3] = w * factor;
      targets[target + SCALE_WORD] = sx;
      targets[target + SCALE_WORD + 1] = sy;
      targets[target + SCALE_WORD + 2] = sz;
      if (isDirty[node] === 0) this.#markDirty(node);
    }
    if (refused >= 0) throwPlaceRefused(words, floats, from, count, refused);
  }

  /** Sets a node's local transform to ten numbers. @returns whether the transform has changed */
  setLocal(node: number, values: ArrayLike<number>): boolean {
    if (!this.local.write(node, values)) return false;
    this.#markDirty(node);
    return true;
  }

  /**
   * Per frame: updates the world transforms of dirty nodes and all nodes below them, and lists these nodes. Allocates
   * only when the list outgrows its array.
   */
  propagate(): void {
    this.movedCount = 0;
    this.#propagation++;
    const { parent, firstChild } = this;
    const isDirty = this.#isDirty;
    const isAlive = this.#isAlive;
    for (let index = 0; index < this.#dirtyCount; index++) {
      const node = this.#dirtyNodes[index] as number;
      // A node below another dirty node has been updated together with that node.
      if (isDirty[node] === 0) continue;
      if (isAlive[node] === 0) {
        isDirty[node] = 0;
        continue;
      }
      if ((parent[node] as number) < 0 && (firstChild[node] as number) < 0) {
        this.#updateNode(node);
        continue;
      }
      let top = node;
      for (let at = parent[node] as number; at >= 0; at = parent[at] as number)
        if (isDirty[at] === 1) top = at;
      this.#updateTree(top);
    }
    this.#dirtyCount = 0;
  }

  /**
   * Updates a node and all nodes below it, parents before children. The walk needs no stack, because links lead back to
   * parents.
   */
  #updateTree(top: number): void {
    let node = top;
    for (;;) {
      this.#updateNode(node);
      let next = this.firstChild[node] as number;
      while (next < 0) {
        if (node === top) return;
        next = this.nextSibling[node] as number;
        if (next < 0) node = this.parent[node] as number;
      }
      node = next;
    }
  }

  /** Per moved node: computes the world transform. */
  #updateNode(node: number): void {
    this.#isDirty[node] = 0;
    this.#writtenAt[node] = this.#propagation;
    if (this.movedCount === this.movedNodes.length) {
      this.movedNodes = grow(this.movedNodes, this.movedCount + 1);
    }
    this.movedNodes[this.movedCount++] = node;

    const { world } = this;
    const { doubles, floats } = this.local;
    const from = node * TRANSFORM_WORDS;
    const position = node * TRANSFORM_DOUBLES;
    const to = node * 12;
    const positionX = doubles[position] as number;
    const positionY = doubles[position + 1] as number;
    const positionZ = doubles[position + 2] as number;
    const x = floats[from + ROTATION_WORD] as number;
    const y = floats[from + ROTATION_WORD + 1] as number;
    const z = floats[from + ROTATION_WORD + 2] as number;
    const w = floats[from + ROTATION_WORD + 3] as number;
    const scaleX = floats[from + SCALE_WORD] as number;
    const scaleY = floats[from + SCALE_WORD + 1] as number;
    const scaleZ = floats[from + SCALE_WORD + 2] as number;
    const m00 = (1 - 2 * (y * y + z * z)) * scaleX;
    const m01 = 2 * (x * y - z * w) * scaleY;
    const m02 = 2 * (x * z + y * w) * scaleZ;
    const m10 = 2 * (x * y + z * w) * scaleX;
    const m11 = (1 - 2 * (x * x + z * z)) * scaleY;
    const m12 = 2 * (y * z - x * w) * scaleZ;
    const m20 = 2 * (x * z - y * w) * scaleX;
    const m21 = 2 * (y * z + x * w) * scaleY;
    const m22 = (1 - 2 * (x * x + y * y)) * scaleZ;
    const parent = this.parent[node] as number;
    if (parent < 0) {
      world[to] = m00;
      world[to + 1] = m01;
      world[to + 2] = m02;
      world[to + 3] = positionX;
      world[to + 4] = m10;
      world[to + 5] = m11;
      world[to + 6] = m12;
      world[to + 7] = positionY;
      world[to + 8] = m20;
      world[to + 9] = m21;
      world[to + 10] = m22;
      world[to + 11] = positionZ;
      return;
    }
    for (let row = 0; row < 3; row++) {
      const p = parent * 12 + row * 4;
      const p0 = world[p] as number;
      const p1 = world[p + 1] as number;
      const p2 = world[p + 2] as number;
      const target = to + row * 4;
      world[target] = p0 * m00 + p1 * m10 + p2 * m20;
      world[target + 1] = p0 * m01 + p1 * m11 + p2 * m21;
      world[target + 2] = p0 * m02 + p1 * m12 + p2 * m22;
      world[target + 3] = p0 * positionX + p1 * positionY + p2 * positionZ + (world[p + 3] as number);
    }
  }

  #markDirty(node: number): void {
    if (this.#isDirty[node] === 1) return;
    this.#isDirty[node] = 1;
    if (this.#dirtyCount === this.#dirtyNodes.length)
      this.#dirtyNodes = grow(this.#dirtyNodes, this.#dirtyCount + 1);
    this.#dirtyNodes[this.#dirtyCount++] = node;
  }

  /** @throws SceneError `cyclic-attachment`, `unknown-node` */
  #checkParent(node: number, parent: number): void {
    if (parent < 0) return;
    for (let ancestor = parent; ancestor >= 0; ancestor = this.parent[ancestor] as number) {
      if (ancestor === node) {
        throw new SceneError('cyclic-attachment', `Node ${node} can't be its own ancestor.`);
      }
    }
    this.#requireAlive(parent);
  }

  /** Links a node under `parent` (−1: none). The node must have no parent yet. */
  #link(node: number, parent: number): void {
    this.parent[node] = parent;
    if (parent >= 0) {
      const next = this.firstChild[parent] as number;
      this.nextSibling[node] = next;
      if (next >= 0) this.#previousSibling[next] = node;
      this.firstChild[parent] = node;
    }
    this.#markDirty(node);
  }

  /** Removes a node from its parent's list of children. */
  #unlink(node: number): void {
    const parent = this.parent[node] as number;
    if (parent < 0) return;
    const previous = this.#previousSibling[node] as number;
    const next = this.nextSibling[node] as number;
    if (previous >= 0) this.nextSibling[previous] = next;
    else this.firstChild[parent] = next;
    if (next >= 0) this.#previousSibling[next] = previous;
    this.parent[node] = this.#previousSibling[node] = this.nextSibling[node] = -1;
  }

  #requireAlive(node: number): void {
    if (this.has(node)) return;
    throw new SceneError('unknown-node', `Node ${node} does not exist.`);
  }

  #reserve(length: number): void {
    if (length <= this.#isAlive.length) return;
    this.#isAlive = grow(this.#isAlive, length);
    const capacity = this.#isAlive.length;
    this.#isDirty = grow(this.#isDirty, capacity);
    this.#writtenAt = grow(this.#writtenAt, capacity);
    this.world = grow(this.world, capacity * 12);
    const { words } = this.local;
    this.local.reserve(capacity);
    countGrown(this.local.words, words);
    this.parent = growIds(this.parent, capacity);
    this.firstChild = growIds(this.firstChild, capacity);
    this.nextSibling = growIds(this.nextSibling, capacity);
    this.#previousSibling = growIds(this.#previousSibling, capacity);
  }
}

/** Throws the error for a place of a `nodePlaces` record. */
function throwPlaceRefused(
  words: Uint32Array,
  floats: Float32Array,
  from: number,
  count: number,
  index: number,
): never {
  const part = (offset: number, size: number): number[] => {
    const first = from + count * offset + index * size;
    return [...floats.subarray(first, first + size)];
  };
  const rotation = part(PLACE_ROTATIONS, 4);
  const numbers = [...part(PLACE_POSITIONS, 3), ...rotation, ...part(PLACE_SCALES, 3)];
  const isZero = rotation.every((number) => number === 0);
  throw new SceneError(
    isZero ? 'rotation-zero' : 'transform-not-finite',
    `A place of instances (node ${words[from + index]}) keeps its last transform, because ${isZero ? 'a rotation of (0, 0, 0, 0) is invalid' : 'the new transform has a number that is not finite'}: position, rotation, scale ${numbers.join(', ')}. In a development build, touch() throws this error and names the place.`,
  );
}
