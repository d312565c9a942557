/**
 * Linear arenas by tag, in blocks of one size (SYSTEMS M5). A tag names a lifetime, such as a game state, the GPU's
 * work on a frame, or one frame. Allocating advances an offset in a block that only this thread fills. Freeing a tag
 * frees all its blocks at once.
 *
 *   | blocks in use | most so far | – | – | tag of block 0 | claims of block 0 | … |  block 0 | block 1 | …
 *
 *   worker 1 ─ frame 7 ─► block 0: ▓▓▓▓▓░░░      worker 2 ─ frame 7 ─► block 1: ▓▓░░░░░░      freeTag(frame 7): both
 *
 * In development a freed block is filled with `FILL`, so that readers notice stale data at once. The block is checked
 * when it is used again, which finds late writers.
 */
import { OptionError, StateError } from '../errors.js';

/** Operations on shared words; a test puts an interleaving scheduler in their place. */
type ArenaAtomics = Pick<typeof Atomics, 'load' | 'add' | 'sub' | 'compareExchange'>;

/** A name, or the number of a frame, from 0 to 2³⁰. */
export type ArenaTag = 'game' | 'render' | 'gpu' | number;

/** Alignment of allocations and blocks, in bytes. */
export const ARENA_ALIGNMENT = 16;

export interface ArenaStats {
  readonly blockBytes: number;
  readonly blocks: number;
  readonly usedBytes: number;
  /** Largest `usedBytes` so far. */
  readonly peakBytes: number;
}

/** Value of freed bytes in development. */
export const FILL = 0xdd;
const FILL_WORD = 0xdddddddd | 0;

const NAMED = { game: 1, render: 2, gpu: 3 } as const;
const FIRST_FRAME = 16;
const USED = 0;
const PEAK = 1;
const HEADER = 4;

/** The memory of arenas. Another thread opens the same arenas with it. */
export interface ArenaMemory {
  readonly words: Int32Array;
  readonly blockBytes: number;
  readonly blocks: number;
  readonly isDevelopment: boolean;
}

/** A block that this thread fills. The object is used again for other blocks. */
interface OpenBlock {
  tag: number;
  block: number;
  /** Count of claims and frees of the block after this thread's claim. Another count means that the block was freed. */
  claims: number;
  /** Bytes in use. */
  used: number;
}

export class TaggedArenas {
  readonly memory: ArenaMemory;
  readonly #atomics: ArenaAtomics;
  readonly #first: number;
  /** The blocks that this thread fills, at most one per tag, and blocks whose tag was freed. */
  readonly #open: OpenBlock[] = [];

  /** Opens the arenas in this memory. Other threads may open them too: a task receives the memory as an argument. */
  constructor(memory: ArenaMemory, atomics: ArenaAtomics = Atomics) {
    this.memory = memory;
    this.#atomics = atomics;
    this.#first = firstByte(memory.blocks);
  }

  /**
   * Allocates bytes with a tag, from a block that only this thread fills. The bytes are not cleared.
   *
   * @returns a view, aligned to 16 bytes
   * @throws OptionError `option-out-of-range` for more than a block, `option-invalid` for an unknown tag; StateError
   *   `arena-full`, `arena-written-after-free`
   */
  allocate(tag: ArenaTag, byteLength: number): Uint8Array {
    const { blockBytes, blocks, words } = this.memory;
    if (!(Number.isInteger(byteLength) && byteLength >= 0 && byteLength <= blockBytes)) {
      throw new OptionError(
        'option-out-of-range',
        `${String(byteLength)} bytes can't be allocated from an arena; its blocks have ${blockBytes}.`,
      );
    }
    const at = this.reserve(tag, byteLength);
    if (at >= 0) return new Uint8Array(words.buffer, at, byteLength);
    throw new StateError(
      'arena-full',
      `All ${blocks} blocks are in use, and ${String(tag)} needs another one. Free tags that are not used any more, or create more blocks.`,
    );
  }

  /**
   * Allocates bytes as `allocate` does, without creating an object.
   *
   * @param byteLength at most `blockBytes`
   * @returns byte offset in the buffer of `memory.words`; −1 if no block is free
   * @throws OptionError `option-invalid` for an unknown tag; StateError `arena-written-after-free`
   */
  reserve(tag: ArenaTag, byteLength: number): number {
    const { blockBytes, words } = this.memory;
    const number = numberOf(tag);
    let open = this.#openBlockOf(number);
    if (!open || open.used + byteLength > blockBytes) {
      open = this.#claim(number, open);
      if (!open) return -1;
    }
    const at = words.byteOffset + this.#first + open.block * blockBytes + open.used;
    open.used += Math.ceil(byteLength / ARENA_ALIGNMENT) * ARENA_ALIGNMENT;
    return at;
  }

  /**
   * Frees all memory of the tag, on all threads; no thread may use it any more.
   * @returns size of the freed blocks, in bytes
   */
  freeTag(tag: ArenaTag): number {
    const number = numberOf(tag);
    let freed = 0;
    for (let block = 0; block < this.memory.blocks; block++) {
      if (this.#load(tagAt(block)) !== number) continue;
      if (this.memory.isDevelopment) this.#wordsOf(block).fill(FILL_WORD);
      // The thread that fills this block compares the count of claims, and so learns that it has lost the block.
      this.#atomics.add(this.memory.words, claimsAt(block), 1);
      if (this.#atomics.compareExchange(this.memory.words, tagAt(block), number, 0) !== number) continue;
      this.#atomics.sub(this.memory.words, USED, 1);
      freed += this.memory.blockBytes;
    }
    return freed;
  }

  stats(): ArenaStats {
    const { blockBytes, blocks } = this.memory;
    return {
      blockBytes,
      blocks,
      usedBytes: this.#load(USED) * blockBytes,
      peakBytes: this.#load(PEAK) * blockBytes,
    };
  }

  #openBlockOf(tag: number): OpenBlock | undefined {
    for (let index = 0; index < this.#open.length; index++) {
      const open = this.#open[index] as OpenBlock;
      if (open.tag === tag && !this.#isFreed(open)) return open;
    }
    return undefined;
  }

  /** Whether the tag was freed since the claim, here or on another thread. Another thread may fill the block now. */
  #isFreed({ block, claims }: OpenBlock): boolean {
    return this.#load(claimsAt(block)) !== claims;
  }

  /** Claims a block. @param full the tag's full block, whose object is used again @returns undefined if none is free */
  #claim(tag: number, full: OpenBlock | undefined): OpenBlock | undefined {
    const { blocks, words } = this.memory;
    for (let block = 0; block < blocks; block++) {
      if (this.#atomics.compareExchange(words, tagAt(block), 0, tag) !== 0) continue;
      const claims = this.#atomics.add(words, claimsAt(block), 1) + 1;
      this.#notePeak(this.#atomics.add(words, USED, 1) + 1);
      // A block that was never used holds zeros.
      if (this.memory.isDevelopment && claims > 1) this.#checkLateWrites(block);
      const open = full ?? this.#freedOpenBlock();
      open.tag = tag;
      open.block = block;
      open.claims = claims;
      open.used = 0;
      return open;
    }
    return undefined;
  }

  /** Returns the object of a freed block, or a new one. */
  #freedOpenBlock(): OpenBlock {
    for (let index = 0; index < this.#open.length; index++) {
      const open = this.#open[index] as OpenBlock;
      if (this.#isFreed(open)) return open;
    }
    const open = { tag: 0, block: 0, claims: 0, used: 0 };
    this.#open.push(open);
    return open;
  }

  #checkLateWrites(block: number): void {
    const words = this.#wordsOf(block);
    const place = words.findIndex((word) => word !== FILL_WORD);
    if (place < 0) return;
    throw new StateError(
      'arena-written-after-free',
      `Byte ${place * 4} of block ${block} was written after its tag had been freed. Find the code that keeps a view of the block.`,
    );
  }

  #notePeak(used: number): void {
    for (;;) {
      const peak = this.#load(PEAK);
      if (used <= peak || this.#atomics.compareExchange(this.memory.words, PEAK, peak, used) === peak) return;
    }
  }

  #wordsOf(block: number): Int32Array {
    const from = (this.#first + block * this.memory.blockBytes) / 4;
    return this.memory.words.subarray(from, from + this.memory.blockBytes / 4);
  }

  #load(at: number): number {
    return this.#atomics.load(this.memory.words, at);
  }
}

/** Returns the size of the memory of arenas, in 32-bit words. @param blockBytes a multiple of `ARENA_ALIGNMENT` */
export const arenaWords = (blockBytes: number, blocks: number): number =>
  (firstByte(blocks) + blockBytes * blocks) / 4;

const tagAt = (block: number): number => HEADER + block * 2;
const claimsAt = (block: number): number => HEADER + block * 2 + 1;
const firstByte = (blocks: number): number =>
  Math.ceil(((HEADER + blocks * 2) * 4) / ARENA_ALIGNMENT) * ARENA_ALIGNMENT;

function numberOf(tag: ArenaTag): number {
  if (typeof tag === 'string' && Object.hasOwn(NAMED, tag)) return NAMED[tag];
  if (typeof tag === 'number' && Number.isInteger(tag) && tag >= 0 && tag <= 2 ** 30)
    return FIRST_FRAME + tag;
  throw new OptionError(
    'option-invalid',
    `"${String(tag)}" is not the tag of an arena. Tags are game, render, gpu, and the number of a frame.`,
  );
}
