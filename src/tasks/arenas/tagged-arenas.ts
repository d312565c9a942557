/**
 * Memory for what lives as long as a game state, a renderer, the GPU's work on a frame, or one frame: linear arenas in blocks
 * of one size, by tag (SYSTEMS M5). Allocating moves on a place in a block that the thread has to itself; freeing a tag frees all
 * of it at once.
 *
 *   | blocks in use | most so far | tag of block 0 | claims of block 0 | tag of block 1 | … |  block 0 | block 1 | …
 *
 *   worker 1 ─ frame 7 ─► block 0: ▓▓▓▓▓░░░      worker 2 ─ frame 7 ─► block 1: ▓▓░░░░░░      freeTag(frame 7): both
 *
 * In development a freed block is filled with `FILL`, so that a reader sees at once that what it reads is gone, and looked
 * through when it is used again, so that a late writer is found.
 */
import { OptionError, StateError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { boolean, countFrom, member, optional } from '../../core/options/members.js';

/** Operations on shared words; a test puts an interleaving scheduler in their place. */
type ArenaAtomics = Pick<typeof Atomics, 'load' | 'add' | 'sub' | 'compareExchange'>;

/** A name, or the number of a frame, from 0 to 2³⁰. */
export type ArenaTag = 'game' | 'render' | 'gpu' | number;

const ALIGNMENT = 16;

const ARENA_OPTIONS = {
  /** Bytes per block, a multiple of 16. Default 2 MiB. */
  blockBytes: optional(
    member<number>(
      (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) % ALIGNMENT === 0,
      `a multiple of ${ALIGNMENT} above 0`,
      { code: 'option-out-of-range' },
    ),
  ),
  /** 1 to 4096. Default 16. */
  blocks: optional(countFrom(1, 4096)),
  /** Fills on free, and looks for late writes. */
  isDevelopment: optional(boolean()),
};

export type ArenaOptions = Shaped<typeof ARENA_OPTIONS>;

export interface ArenaStats {
  readonly blockBytes: number;
  readonly blocks: number;
  readonly usedBytes: number;
  /** High-water mark. */
  readonly peakBytes: number;
}

/** What a freed byte is in development. */
export const FILL = 0xdd;
const FILL_WORD = 0xdddddddd | 0;

const NAMED = { game: 1, render: 2, gpu: 3 } as const;
const FIRST_FRAME = 16;
const USED = 0;
const PEAK = 1;
const HEADER = 4;

/** What another thread needs to open the same arenas. */
export interface ArenaMemory {
  readonly words: Int32Array;
  readonly blockBytes: number;
  readonly blocks: number;
  readonly isDevelopment: boolean;
}

interface Current {
  readonly block: number;
  readonly claims: number;
  used: number;
}

export class TaggedArenas {
  readonly memory: ArenaMemory;
  readonly #atomics: ArenaAtomics;
  readonly #first: number;
  /** The block that this thread fills, by tag. */
  readonly #current = new Map<number, Current>();

  /** Arenas of this memory, which another thread may have too: a worker opens what it gets among its arguments. */
  constructor(memory: ArenaMemory, atomics: ArenaAtomics = Atomics) {
    this.memory = memory;
    this.#atomics = atomics;
    this.#first = firstByte(memory.blocks);
  }

  /** Memory for new arenas, in `sharedArray`s of the caller. @throws OptionError */
  static sizeFor(options: ArenaOptions): number {
    checkOptions('arenas', options, ARENA_OPTIONS);
    const { blockBytes = 2 ** 21, blocks = 16 } = options;
    return (firstByte(blocks) + blockBytes * blocks) / 4;
  }

  /**
   * Bytes of a tag, zero or whatever was there: only this thread allocates from the block that they lie in.
   *
   * @returns a view, aligned to 16 bytes
   * @throws OptionError `option-out-of-range` for more than a block; StateError `arena-full`, `arena-written-after-free`
   */
  allocate(tag: ArenaTag, byteLength: number): Uint8Array {
    const { blockBytes, words } = this.memory;
    if (!(Number.isInteger(byteLength) && byteLength >= 0 && byteLength <= blockBytes)) {
      throw new OptionError(
        'option-out-of-range',
        `${String(byteLength)} bytes can't be had from an arena; its blocks have ${blockBytes}.`,
      );
    }
    const number = numberOf(tag);
    let current = this.#current.get(number);
    // Its tag may have been freed, and the block be somebody else's by now.
    if (current && this.#load(claimsAt(current.block)) !== current.claims) current = undefined;
    if (!current || current.used + byteLength > blockBytes) {
      current = this.#claim(number, tag);
      this.#current.set(number, current);
    }
    const at = words.byteOffset + this.#first + current.block * blockBytes + current.used;
    current.used += Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;
    return new Uint8Array(words.buffer, at, byteLength);
  }

  /** Frees all of the tag, on all threads. Nobody may use any of it any more. @returns bytes of its blocks */
  freeTag(tag: ArenaTag): number {
    const number = numberOf(tag);
    let freed = 0;
    for (let block = 0; block < this.memory.blocks; block++) {
      if (this.#load(tagAt(block)) !== number) continue;
      if (this.memory.isDevelopment) this.#wordsOf(block).fill(FILL_WORD);
      // Whoever has it as his current block sees by the claims that it is not his any more.
      this.#atomics.add(this.memory.words, claimsAt(block), 1);
      if (this.#atomics.compareExchange(this.memory.words, tagAt(block), number, 0) !== number) continue;
      this.#atomics.sub(this.memory.words, USED, 1);
      freed += this.memory.blockBytes;
    }
    this.#current.delete(number);
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

  #claim(number: number, tag: ArenaTag): Current {
    const { blocks, words } = this.memory;
    for (let block = 0; block < blocks; block++) {
      if (this.#atomics.compareExchange(words, tagAt(block), 0, number) !== 0) continue;
      const claims = this.#atomics.add(words, claimsAt(block), 1) + 1;
      this.#notePeak(this.#atomics.add(words, USED, 1) + 1);
      // A block that was never used holds zeros.
      if (this.memory.isDevelopment && claims > 1) this.#refuseLateWrites(block);
      return { block, claims, used: 0 };
    }
    throw new StateError(
      'arena-full',
      `All ${blocks} blocks are in use, and ${String(tag)} needs another one. Free tags that are over, or give more blocks.`,
    );
  }

  #refuseLateWrites(block: number): void {
    const words = this.#wordsOf(block);
    const place = words.findIndex((word) => word !== FILL_WORD);
    if (place < 0) return;
    throw new StateError(
      'arena-written-after-free',
      `Byte ${place * 4} of block ${block} was written after its tag had been freed. Find out who keeps a view of it.`,
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

const tagAt = (block: number): number => HEADER + block * 2;
const claimsAt = (block: number): number => HEADER + block * 2 + 1;
const firstByte = (blocks: number): number => Math.ceil(((HEADER + blocks * 2) * 4) / ALIGNMENT) * ALIGNMENT;

function numberOf(tag: ArenaTag): number {
  if (typeof tag === 'string' && Object.hasOwn(NAMED, tag)) return NAMED[tag];
  if (typeof tag === 'number' && Number.isInteger(tag) && tag >= 0 && tag <= 2 ** 30)
    return FIRST_FRAME + tag;
  throw new OptionError(
    'option-invalid',
    `There is no arena "${String(tag)}". There are game, render, gpu, and one by the number of each frame.`,
  );
}
