import { grow } from '../../core/memory/grow.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { DirtyRanges } from '../../rhi/mapping/dirty-ranges.js';
import { ShadowedWords } from '../../rhi/mapping/shadowed-words.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from './growing-buffer.js';

/** Passes may copy the buffer (`temporal/previous-poses.ts`). */
const USAGE = /* @__PURE__ */ BufferUsage.storage | BufferUsage.copyTarget | BufferUsage.copySource;

/**
 * An array of equal slots: a CPU shadow (SYSTEMS M4) of a GPU storage buffer that grows. If the slots outgrow the
 * buffer, a larger buffer replaces it in the same frame and is filled from the shadow. So no draw ever reads a slot
 * that has no data.
 */
export class StorageBuffer {
  floats: Float32Array = new Float32Array(0);
  words: Uint32Array = new Uint32Array(0);
  readonly dirty: DirtyRanges;
  readonly #shadow: ShadowedWords;
  readonly #gpu: GrowingBuffer;
  #length = 0;

  /** @param slotWords 32-bit words per slot */
  constructor(
    label: string,
    readonly slotWords: number,
  ) {
    this.#shadow = new ShadowedWords(this.words, slotWords);
    this.dirty = this.#shadow.dirty;
    this.#gpu = new GrowingBuffer(label, USAGE);
  }

  get handle(): BufferHandle {
    return this.#gpu.handle;
  }

  /** Bytes of the slots in use. */
  get byteLength(): number {
    return Math.max(1, this.#length) * this.slotWords * 4;
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
    this.#shadow.words = this.words;
  }

  /** Per frame: uploads the dirty slots to the GPU buffer. */
  upload(rhi: ImmediateContext): void {
    const isNew = this.#gpu.reserve(rhi, this.byteLength);
    if (isNew) this.#shadow.flushAll(rhi.writer, this.#gpu.handle, this.#length);
    else this.#shadow.flush(rhi.writer, this.#gpu.handle);
  }

  dispose(rhi: ImmediateContext): void {
    this.#gpu.dispose(rhi);
  }
}
