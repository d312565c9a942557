/**
 * Arrays that a render thread needs for one frame only (SYSTEMS M5). They come from tagged arenas, and the frame's end
 * frees all of them by their tag.
 *
 *   frame 7   draw list of pass A ▓▓▓▓ │ its sort ▓▓ │ draw list of pass B ▓▓▓▓       end ─► freeTag
 *   frame 8   the same bytes, and the same views                                      end ─► freeTag
 *
 * If the arrays of a frame do not fit into the blocks, larger arenas replace the old ones. Frames that request the same
 * lengths in the same order create no objects, because they get the views of the previous frame.
 */
import { arenaWords, TaggedArenas } from './tagged-arenas.js';

const FIRST_BLOCK_BYTES = 2 ** 14;
/** Minimum number of blocks. */
const LEAST_BLOCKS = 2;

export class FrameMemory {
  #arenas = createArenas(FIRST_BLOCK_BYTES, LEAST_BLOCKS);
  /** Views of the arrays, in the order of allocation. */
  readonly #views: Uint32Array<ArrayBuffer>[] = [];
  /** Number of arrays that the current frame has. */
  #count = 0;

  /** Size of the memory, in bytes. The memory never shrinks. */
  get byteLength(): number {
    return this.#arenas.memory.words.byteLength;
  }

  /**
   * Returns an array that is valid until `free`. Its elements are not cleared. Called per sort.
   * @param length number of elements. A length that differs from the previous frame's creates a view, so pass a
   * capacity instead of a count
   */
  words(length: number): Uint32Array<ArrayBuffer> {
    const byteOffset = this.#reserve(length * 4);
    const buffer = this.#arenas.memory.words.buffer as ArrayBuffer;
    const index = this.#count++;
    const known = this.#views[index];
    if (known?.buffer === buffer && known.byteOffset === byteOffset && known.length === length) return known;
    const view = new Uint32Array(buffer, byteOffset, length);
    this.#views[index] = view;
    return view;
  }

  /** Frees all arrays, at the end of a frame. */
  free(): void {
    this.#arenas.freeTag('render');
    this.#count = 0;
  }

  #reserve(byteLength: number): number {
    const { blockBytes, blocks } = this.#arenas.memory;
    if (byteLength <= blockBytes) {
      const byteOffset = this.#arenas.reserve('render', byteLength);
      if (byteOffset >= 0) return byteOffset;
    }
    // Arrays of this frame keep the old memory alive until the frame's end.
    const larger = Math.max(blockBytes, 2 ** Math.ceil(Math.log2(byteLength)));
    this.#arenas = createArenas(
      larger,
      Math.max(LEAST_BLOCKS, Math.ceil((2 * blockBytes * blocks) / larger)),
    );
    this.#views.length = 0;
    return this.#arenas.reserve('render', byteLength);
  }
}

function createArenas(blockBytes: number, blocks: number): TaggedArenas {
  const words = new Int32Array(arenaWords(blockBytes, blocks));
  const isDevelopment = globalThis.FENCEPOST_DEVELOPMENT === true;
  return new TaggedArenas({ words, blockBytes, blocks, isDevelopment });
}
