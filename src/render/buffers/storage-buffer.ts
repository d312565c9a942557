import type { BufferHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { uploadWords } from './buffer-upload.js';
import { DirtyRanges } from './dirty-ranges.js';
import { grow } from './grow.js';
import { GrowingBuffer } from './growing-buffer.js';

/**
 * An array of equal slots with two copies. One is in memory, where it is written. The other is in a GPU
 * storage buffer, to which only dirty ranges are uploaded. If the slots outgrow the GPU buffer, a larger one
 * replaces it in the same frame and is filled from memory. So no draw ever reads a slot that has no data.
 *   memory  │ slot 0 │ slot 1 │ slot 2* │ slot 3* │      * dirty
 *   GPU     │ slot 0 │ slot 1 │ ◄────── writeBuffer │
 */
export class StorageBuffer {
  floats: Float32Array = new Float32Array(0);
  words: Uint32Array = new Uint32Array(0);
  readonly dirty = new DirtyRanges();
  readonly #gpu: GrowingBuffer;
  #length = 0;

  /** @param slotWords 32-bit words per slot */
  constructor(
    label: string,
    readonly slotWords: number,
  ) {
    this.#gpu = new GrowingBuffer(label);
  }

  get handle(): BufferHandle {
    return this.#gpu.handle;
  }

  get version(): number {
    return this.#gpu.version;
  }

  /** Ensures space in memory for `length` slots. `floats` and `words` may be new arrays afterwards. */
  reserve(length: number): void {
    if (length > this.#length) this.#length = length;
    const needed = length * this.slotWords;
    if (needed <= this.floats.length) return;
    this.floats = grow(this.floats, needed);
    this.words = new Uint32Array(this.floats.buffer);
  }

  /** Per frame: uploads the dirty slots to the GPU buffer. */
  upload(rhi: ImmediateContext): void {
    const slotBytes = this.slotWords * 4;
    if (this.#gpu.reserve(rhi, Math.max(1, this.#length) * slotBytes)) {
      this.dirty.collect();
      this.#write(rhi, 0, this.#length);
      return;
    }
    if (this.dirty.isEmpty) return;
    this.dirty.collect();
    const { begins, ends, count } = this.dirty;
    for (let range = 0; range < count; range++) {
      this.#write(rhi, begins[range] as number, ends[range] as number);
    }
  }

  dispose(rhi: ImmediateContext): void {
    this.#gpu.dispose(rhi);
  }

  #write(rhi: ImmediateContext, begin: number, end: number): void {
    if (begin === end) return;
    const { slotWords } = this;
    uploadWords(rhi, this.#gpu.handle, begin * slotWords * 4, this.words, begin * slotWords, end * slotWords);
  }
}
