/**
 * The local transforms of a world's nodes, packed, and the list of nodes that have changed since the last
 * end-of-frame update (SYSTEMS G4). Setters write directly into the arrays; nothing is allocated per set,
 * frame or object.
 *
 *   data    │ node 0: px py pz  qx qy qz qw  sx sy sz │ node 1 … │      10 floats each; metres, unit quaternion
 *   dirty   │ 1 │ 0 │ 0 │ 1 │ …                                       one byte per node
 *   list    │ 3 │ 0 │                                                 dirty nodes, each once, in order of change
 *
 * Growing replaces `data`, `dirty` and `list` by larger copies, so callers must not keep references to them.
 */
import { PAGE_BYTES, type StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';

export const TRANSFORM_FLOATS = 10;

/** Entries per `nodeTransforms` record: 2 + 1400 × 11 words fit in one page of 16,384. */
const TRANSFORMS_PER_RECORD = 1400;
/**
 * Records of at least this many transforms are shortened by one if their floats would otherwise be
 * misaligned.
 */
const ALIGNED_FROM = 32;

/**
 * Storage of a node's transform: a store, or an object in front of it that computes reads. Such objects are the
 * mover of a declared motion (`motion-mover.ts`) and the pose of clips (`clip-poses.ts`).
 */
export interface TransformPlace {
  /** `TRANSFORM_FLOATS` per node. Read `data` for each use, because growing replaces the array. */
  readonly data: Float32Array;
  mark(node: number): void;
  free(node: number): void;
  /** Set by poses only: the storage of the transform without clips. A declared motion inserts its mover as `rest`. */
  rest?: TransformPlace;
}

/** Makes every `mark` a no-op: nodes outside a world are not sent. */
const ALWAYS_DIRTY = /* @__PURE__ */ new Uint8Array(1).fill(1);
const NO_LIST = /* @__PURE__ */ new Uint32Array(0);

export class TransformStore implements TransformPlace {
  data: Float32Array;
  dirty: Uint8Array;
  list: Uint32Array;
  dirtyCount = 0;
  /** Called when the first node is put on the list. */
  onChange: (() => void) | null = null;
  /** One byte per node: 1 while the node is allocated. */
  #live: Uint8Array;
  #size = 0;
  readonly #free: number[] = [];
  #freedWhileDirty = 0;
  /** Views of `data` on runs of consecutive nodes, cached by the record that last copied them. */
  readonly #runs: Float32Array[] = [];

  /** @param capacity in nodes; 0 makes a store for one node that belongs to no world */
  constructor(capacity: number) {
    this.data = new Float32Array(TRANSFORM_FLOATS * (capacity || 1));
    this.dirty = capacity ? new Uint8Array(capacity) : ALWAYS_DIRTY;
    this.list = capacity ? new Uint32Array(capacity) : NO_LIST;
    this.#live = this.dirty;
    if (capacity) this.#live = new Uint8Array(capacity);
  }

  /** Allocates a node, growing when none is free. The node's transform has stale content until it is written. */
  allocate(): number {
    const node = this.#free.pop() ?? this.#size++;
    if (node >= this.#live.length) this.#grow(this.#live.length * 2);
    this.#live[node] = 1;
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

  /** Puts every node on the list, in order. */
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
      count = alignedCount(writer, dirtyCount - start);
      let at = writer.reserve(RenderOpcode.nodeTransforms, wordsFor(count));
      const { words, floats } = writer;
      words[at++] = count;
      const first = list[start] as number;
      let isRun = true;
      for (let index = 0; index < count; index++) {
        const node = list[start + index] as number;
        isRun &&= node === first + index;
        dirty[node] = 0;
        words[at++] = node;
      }
      words[at++] = count * TRANSFORM_FLOATS;
      if (isRun) floats.set(this.#runAt(record, first, count), at);
      else this.#copyOneByOne(start, count, floats, at);
    }
    this.dirtyCount = 0;
  }

  /**
   * Returns a view of consecutive nodes' transforms, so that one call copies all of them. The view is cached,
   * because the same nodes are likely to move in the next frame too.
   */
  #runAt(record: number, first: number, count: number): Float32Array {
    const { data } = this;
    const from = first * TRANSFORM_FLOATS;
    const length = count * TRANSFORM_FLOATS;
    const kept = this.#runs[record];
    if (kept?.buffer === data.buffer && kept.byteOffset === from * 4 && kept.length === length) return kept;
    const run = data.subarray(from, from + length);
    this.#runs[record] = run;
    return run;
  }

  #copyOneByOne(start: number, count: number, floats: Float32Array, at: number): void {
    const { list, data } = this;
    let to = at;
    for (let index = start; index < start + count; index++) {
      const from = (list[index] as number) * TRANSFORM_FLOATS;
      floats[to] = data[from] as number;
      floats[to + 1] = data[from + 1] as number;
      floats[to + 2] = data[from + 2] as number;
      floats[to + 3] = data[from + 3] as number;
      floats[to + 4] = data[from + 4] as number;
      floats[to + 5] = data[from + 5] as number;
      floats[to + 6] = data[from + 6] as number;
      floats[to + 7] = data[from + 7] as number;
      floats[to + 8] = data[from + 8] as number;
      floats[to + 9] = data[from + 9] as number;
      to += TRANSFORM_FLOATS;
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
    const data = new Float32Array(TRANSFORM_FLOATS * capacity);
    data.set(this.data);
    const dirty = new Uint8Array(capacity);
    dirty.set(this.dirty);
    const list = new Uint32Array(capacity);
    list.set(this.list);
    const live = new Uint8Array(capacity);
    live.set(this.#live);
    this.data = data;
    this.dirty = dirty;
    this.list = list;
    this.#live = live;
  }
}

const wordsFor = (count: number): number => 2 + count * (1 + TRANSFORM_FLOATS);

/**
 * Returns how many transforms the next record takes: as many as fit, less one if their floats would begin at
 * an odd word.
 *
 *   header │ count │ ids … │ length │ floats …        words; the header is at the writer's end, or begins a page
 *
 * V8 copies into shared memory eight bytes at a time if source and destination are both aligned to eight
 * bytes. Otherwise it copies byte by byte, which takes ten times as long. The source is always aligned: a
 * transform is ten floats.
 */
function alignedCount(writer: StreamWriter, rest: number): number {
  const count = Math.min(TRANSFORMS_PER_RECORD, rest);
  const { usedWords } = writer;
  const header = usedWords + 1 + wordsFor(count) > PAGE_BYTES / 4 ? 0 : usedWords;
  return count >= ALIGNED_FROM && (header + count) % 2 === 0 ? count - 1 : count;
}
