import { RhiError } from '../../core/errors.js';
import { StagingBudget } from './staging-budget.js';

/** Default maximum of all blocks together: 256 MiB. */
const MAXIMUM_STAGING_BYTES = 2 ** 28;
/** Maximum bytes of unused blocks. */
const KEPT_BYTES = 2 ** 24;
const IDLE_LISTS = 120;
const SMALLEST_BLOCK = 256;
/**
 * Lengths above this are rounded up to a multiple of it, and smaller lengths to a power of two. So similar requests can
 * share blocks.
 */
const COARSE_BYTES = 2 ** 16;

/** The operations by which a backend creates blocks. */
interface StagingMemory<B> {
  create(byteLength: number): B;
  destroy(block: B): void;
}

/** A block of staging memory. The caller of `take` returns it with `give`. */
export interface StagingBlock<B> {
  readonly memory: B;
  readonly byteLength: number;
  /** Number of completed lists when the block was returned. */
  list: number;
}

/**
 * Memory into which the GPU copies the bytes that the CPU reads back (SYSTEMS M6). The `readBuffer` commands and video
 * frames of an executor share this memory. Captures and GPU times have buffers of their own. The total is bounded.
 *
 *   take ─► block ─► the list copies into it ─► mapped, bytes copied out ─► give ─► unused ─► take
 *     └ full: null ─► wait ── some give ──► block                             └ beyond 16 MiB, or 120 lists: destroyed
 *
 * Unused blocks are destroyed if a new one needs their bytes.
 */
export class StagingPool<B> {
  totalBytes = 0;
  peakBytes = 0;
  readonly #memory: StagingMemory<B>;
  /** Bytes of the blocks in use. */
  readonly #budget: StagingBudget;
  /** Unused blocks; the first one has been unused for the longest time. */
  #free: StagingBlock<B>[] = [];
  #completed = 0;
  #isDisposed = false;

  constructor(memory: StagingMemory<B>, maximumBytes = MAXIMUM_STAGING_BYTES) {
    this.#memory = memory;
    // WebGPU copies whole words only.
    this.#budget = new StagingBudget(Math.floor(maximumBytes / 4) * 4);
  }

  get maximumBytes(): number {
    return this.#budget.limit;
  }

  /** Bytes of the blocks in use. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /**
   * Takes a block. Called per read-back; creates no object while a block of this length is unused.
   * @returns null if the bound does not allow the block now, or never allows it, or if other requests wait
   */
  take(byteLength: number): StagingBlock<B> | null {
    if (byteLength > this.maximumBytes) return null;
    const length = this.#blockBytes(byteLength);
    return this.#budget.take(length) ? this.#block(length) : null;
  }

  /** Resolves with a block once the bound allows it. @param byteLength at most `maximumBytes` */
  async wait(byteLength: number): Promise<StagingBlock<B>> {
    const length = this.#blockBytes(byteLength);
    await this.#budget.wait(length);
    return this.#block(length);
  }

  /** Takes a block back that neither the GPU nor the CPU uses any more. */
  give(block: StagingBlock<B>): void {
    block.list = this.#completed;
    if (this.#isDisposed) this.#destroy(block);
    else this.#free.push(block);
    this.#budget.release(block.byteLength);
    this.#trim(KEPT_BYTES);
  }

  /** Destroys one idle block at most. Called per frame, and when idle. @param completed number of completed lists */
  recycle(completed: number): void {
    this.#completed = completed;
    const oldest = this.#free[0];
    if (oldest === undefined || oldest.list + IDLE_LISTS >= completed) return;
    this.#free.shift();
    this.#destroy(oldest);
  }

  /** Destroys the unused blocks, and later those in use when they are returned. Rejects requests that wait. */
  dispose(): void {
    this.#isDisposed = true;
    this.#trim(0);
    this.#budget.fail(
      new RhiError('executor-disposed', 'The executor was disposed of, so no staging memory is available.'),
    );
  }

  /** Returns an unused block, or creates one within the bound. The budget has counted its bytes. */
  #block(byteLength: number): StagingBlock<B> {
    const index = this.#free.findLastIndex((block) => block.byteLength === byteLength);
    if (index >= 0) return this.#free.splice(index, 1)[0];
    this.#trim(this.maximumBytes - this.usedBytes);
    this.totalBytes += byteLength;
    this.peakBytes = Math.max(this.peakBytes, this.totalBytes);
    return { memory: this.#memory.create(byteLength), byteLength, list: 0 };
  }

  /**
   * Keeps unused blocks of at most `maximum` bytes in total, preferably the newest. Destroys all other unused blocks.
   */
  #trim(maximum: number): void {
    let bytes = 0;
    for (let index = this.#free.length - 1; index >= 0; index--) {
      const block = this.#free[index];
      if (bytes + block.byteLength <= maximum) bytes += block.byteLength;
      else this.#destroy(this.#free.splice(index, 1)[0]);
    }
  }

  #destroy({ memory, byteLength }: StagingBlock<B>): void {
    this.totalBytes -= byteLength;
    this.#memory.destroy(memory);
  }

  #blockBytes(byteLength: number): number {
    const coarse = Math.ceil(byteLength / COARSE_BYTES) * COARSE_BYTES;
    const power = 2 ** Math.ceil(Math.log2(Math.max(byteLength, SMALLEST_BLOCK)));
    return Math.min(byteLength > COARSE_BYTES ? coarse : power, this.maximumBytes);
  }
}
