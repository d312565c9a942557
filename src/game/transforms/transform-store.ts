/**
 * The local transforms of a world's nodes, packed, and the list of nodes that have changed since the last
 * end-of-frame update (SYSTEMS G4). Setters write directly into the arrays; a frame
 * allocates a view only for a run of nodes that differs from the last frame.
 *
 *   data    │ node 0: px py pz  qx qy qz qw  sx sy sz  id │ node 1 … │      `TransformArray`: positions of 64 bits
 *   dirty   │ 1 │ 0 │ 0 │ 1 │ …                                           one byte per node
 *   list    │ 3 │ 0 │                                                     dirty nodes, each once, in order of change
 *
 * Growing replaces the arrays by larger copies, so callers must not keep references to them.
 */
import type { StreamWriter } from '../../core/streams/stream.js';
import { reserveAligned } from '../../proxy/aligned-record.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { NODE_WORD, TRANSFORM_WORDS, TransformArray } from '../../proxy/transform-array.js';

/** Transforms per `nodeTransforms` record. 1150 × 14 words, and some small records, fit in one page of 16,384 words. */
const TRANSFORMS_PER_RECORD = 1150;

/**
 * Storage of a node's transform: a store, or an object in front of it that computes reads. Such objects are the
 * mover of a declared motion (`motion-mover.ts`) and the pose of clips (`clip-poses.ts`).
 */
export interface TransformPlace {
  /** Transforms by node. Read `data` for each use, because reading may compute the transform. */
  readonly data: TransformArray;
  mark(node: number): void;
  free(node: number): void;
  /**
   * Only poses have it: the storage of the transform without clips. While a motion is declared for the node, the
   * motion's mover takes its place here.
   */
  rest?: TransformPlace;
}

/** Number of transforms in a store for components outside a world. */
export const LOOSE_NODES = 64;
/** Makes every `mark` a no-op: nodes outside a world are not sent. */
const ALWAYS_DIRTY = /* @__PURE__ */ new Uint8Array(LOOSE_NODES).fill(1);
const NO_LIST = /* @__PURE__ */ new Uint32Array(0);

export class TransformStore implements TransformPlace {
  readonly data: TransformArray;
  dirty: Uint8Array;
  list: Uint32Array;
  dirtyCount = 0;
  /** Called when the first node is put on the list. */
  onChange: (() => void) | null = null;
  /** One byte per node: 1 while the node is allocated and its transform is stored here. */
  #live: Uint8Array;
  #size = 0;
  readonly #free: number[] = [];
  #freedWhileDirty = 0;
  /** Cached views of runs of consecutive nodes in `data`. Item i is the last view that a frame's record i copied. */
  readonly #runs: Uint32Array[] = [];

  /**
   * @param capacity number of nodes. 0 creates a store of `LOOSE_NODES` nodes for components outside a world; its caller
   *   numbers the nodes itself, without `allocate`
   */
  constructor(capacity: number) {
    this.data = new TransformArray(capacity || LOOSE_NODES);
    this.dirty = capacity ? new Uint8Array(capacity) : ALWAYS_DIRTY;
    this.list = capacity ? new Uint32Array(capacity) : NO_LIST;
    this.#live = this.dirty;
    if (capacity) this.#live = new Uint8Array(capacity);
  }

  /** Bytes of the arrays. */
  get byteLength(): number {
    const { data, dirty, list } = this;
    return data.words.byteLength + dirty.byteLength + list.byteLength + this.#live.byteLength;
  }

  /** Allocates a node, growing when none is free. The node's transform has stale content until it is written. */
  allocate(): number {
    const node = this.#free.pop() ?? this.#size++;
    if (node >= this.#live.length) this.#grow(this.#live.length * 2);
    this.#live[node] = 1;
    this.data.words[node * TRANSFORM_WORDS + NODE_WORD] = node;
    return node;
  }

  /** Allocates the id of a node whose transform is stored elsewhere, such as an instance. */
  allocateId(): number {
    const node = this.allocate();
    this.#live[node] = 0;
    return node;
  }

  /** Frees a node. Its unsent changes are dropped. */
  free(node: number): void {
    this.#live[node] = 0;
    this.#freedWhileDirty += this.dirty[node] ?? 0;
    this.#free.push(node);
  }

  /** Per set: puts a node on the list unless the list has it already. */
  mark(node: number): void {
    if (this.dirty[node] === 0) {
      this.dirty[node] = 1;
      this.list[this.dirtyCount++] = node;
      if (this.dirtyCount === 1) this.onChange?.();
    }
  }

  /** Puts every node whose transform is stored here on the list, in order of their numbers. */
  markAll(): void {
    this.dirtyCount = 0;
    this.dirty.fill(0);
    this.#live.forEach((isLive, node) => {
      if (isLive) this.mark(node);
    });
  }

  /** Per frame: copies every dirty transform into the stream and empties the list. */
  send(writer: StreamWriter): void {
    if (this.#freedWhileDirty) this.#dropFreed();
    const { list, dirty, dirtyCount } = this;
    let count = 0;
    for (let start = 0, record = 0; start < dirtyCount; start += count, record++) {
      count = Math.min(TRANSFORMS_PER_RECORD, dirtyCount - start);
      const length = count * TRANSFORM_WORDS;
      const at = reserveAligned(writer, RenderOpcode.nodeTransforms, length);
      const { words } = writer;
      const first = list[start] as number;
      let isRun = true;
      for (let index = 0; index < count; index++) {
        const node = list[start + index] as number;
        isRun &&= node === first + index;
        dirty[node] = 0;
      }
      if (isRun) words.set(this.#runAt(record, first, count), at);
      else this.#copyOneByOne(start, count, words, at);
    }
    this.dirtyCount = 0;
  }

  /**
   * Returns a view of consecutive nodes' transforms, so that one call copies all of them. The view is cached,
   * because the same nodes are likely to move in the next frame too.
   */
  #runAt(record: number, first: number, count: number): Uint32Array {
    const { words } = this.data;
    const from = first * TRANSFORM_WORDS;
    const length = count * TRANSFORM_WORDS;
    const kept = this.#runs[record];
    if (kept?.buffer === words.buffer && kept.byteOffset === from * 4 && kept.length === length) return kept;
    const run = words.subarray(from, from + length);
    this.#runs[record] = run;
    return run;
  }

  #copyOneByOne(start: number, count: number, target: Uint32Array, at: number): void {
    const { list } = this;
    const { words } = this.data;
    let to = at;
    for (let index = start; index < start + count; index++) {
      const from = (list[index] as number) * TRANSFORM_WORDS;
      target[to] = words[from] as number;
      target[to + 1] = words[from + 1] as number;
      target[to + 2] = words[from + 2] as number;
      target[to + 3] = words[from + 3] as number;
      target[to + 4] = words[from + 4] as number;
      target[to + 5] = words[from + 5] as number;
      target[to + 6] = words[from + 6] as number;
      target[to + 7] = words[from + 7] as number;
      target[to + 8] = words[from + 8] as number;
      target[to + 9] = words[from + 9] as number;
      target[to + 10] = words[from + 10] as number;
      target[to + 11] = words[from + 11] as number;
      target[to + 12] = words[from + 12] as number;
      target[to + 13] = words[from + 13] as number;
      to += TRANSFORM_WORDS;
    }
  }

  #dropFreed(): void {
    let kept = 0;
    for (let index = 0; index < this.dirtyCount; index++) {
      const node = this.list[index] as number;
      if (this.#live[node]) this.list[kept++] = node;
      else this.dirty[node] = 0;
    }
    this.dirtyCount = kept;
    this.#freedWhileDirty = 0;
  }

  #grow(capacity: number): void {
    this.data.reserve(capacity);
    const dirty = new Uint8Array(capacity);
    dirty.set(this.dirty);
    const list = new Uint32Array(capacity);
    list.set(this.list);
    const live = new Uint8Array(capacity);
    live.set(this.#live);
    this.dirty = dirty;
    this.list = list;
    this.#live = live;
  }
}
