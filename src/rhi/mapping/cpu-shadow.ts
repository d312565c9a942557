/**
 * Persistent CPU access to a buffer (SYSTEMS M4) through a copy in CPU memory, called the buffer's shadow. The CPU
 * writes the shadow at any time and marks the written ranges. All commands of the list that is submitted next read the
 * written data. A copy is needed because the GPU can't use a mapped WebGPU buffer.
 *
 *   shadow   ····████····██████··········      dirty: 16 … 32, 48 … 72, ascending, never touching
 *   endFrame     └ write ┘ └ write ┘           only dirty ranges are uploaded
 *
 * The writes are recorded as `writeBufferUnordered` just before the frame's end. They run after the previous
 * submissions and before this frame's list, so all draws of the list see the final contents. If a list is split
 * (`signalFence`, `waitFence`), call `flush` before the split. A shadow does not see writes by the GPU or by
 * `writeBuffer`, so it must not be used for buffers with such writes.
 */
import { RhiError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { checkContext } from '../commands/class-arguments.js';
import type { BufferHandle } from '../commands/descriptors.js';
import { checkHandle } from '../record/call-checks.js';
import type { FrameEnds } from '../record/frame-ends.js';
import type { ImmediateContext } from '../record/immediate-context.js';
import { ShadowedWords } from './shadowed-words.js';

export class CpuShadow {
  readonly buffer: BufferHandle;
  readonly byteLength: number;
  /**
   * The buffer's contents as the CPU wrote them, zeros at first. Write-only: changes by the GPU do not appear here.
   * Mark written ranges with `markDirty`.
   */
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly floats: Float32Array;
  readonly #context: ImmediateContext & FrameEnds;
  readonly #stopListening: () => void;
  /**
   * The shadow's words. Each slot is one word, and no gaps are joined, so that exactly the marked words are uploaded.
   */
  readonly #shadow: ShadowedWords;

  /**
   * @param buffer a buffer with usage `copyTarget`, which the caller still owns
   * @param byteLength length of the buffer, a multiple of 4
   * @throws RhiError `bad-shadow`, `stale-handle`; OptionError `option-invalid`
   */
  constructor(context: ImmediateContext & FrameEnds, buffer: BufferHandle, byteLength: number) {
    checkContext('new CpuShadow', context);
    checkHandle('new CpuShadow', 'the buffer', buffer);
    context.handles.check(buffer, 'be shadowed');
    if (!(Number.isInteger(byteLength) && byteLength > 0 && byteLength % 4 === 0)) {
      throw new RhiError(
        'bad-shadow',
        `A CPU shadow of ${shownValue(byteLength)} bytes can't be made for the buffer "${context.handles.label(buffer)}". Give the buffer's length, a multiple of 4.`,
      );
    }
    const data = new ArrayBuffer(byteLength);
    this.buffer = buffer;
    this.byteLength = byteLength;
    this.bytes = new Uint8Array(data);
    this.words = new Uint32Array(data);
    this.floats = new Float32Array(data);
    this.#shadow = new ShadowedWords(this.words, 1, 0);
    this.#context = context;
    this.#stopListening = context.onFrameFinished(() => this.flush());
  }

  /** Ranges that the next submission uploads, in bytes; for statistics and tests. */
  get dirtyRanges(): { byteOffset: number; byteLength: number }[] {
    const { dirty } = this.#shadow;
    dirty.find();
    return Array.from({ length: dirty.count }, (_, range) => ({
      byteOffset: dirty.begins[range] * 4,
      byteLength: (dirty.ends[range] - dirty.begins[range]) * 4,
    }));
  }

  /** Copies data into the shadow, and marks the range. @throws RhiError `bad-write`, `out-of-range` */
  set(byteOffset: number, data: ArrayBufferView): void {
    if (!ArrayBuffer.isView(data)) {
      throw new RhiError(
        'bad-write',
        `The CPU shadow of the buffer "${this.#context.handles.label(this.buffer)}" can't be set to ${shownValue(data)}. Give a view of the data, like a Float32Array.`,
      );
    }
    this.markDirty(byteOffset, data.byteLength);
    this.bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), byteOffset);
  }

  /**
   * Marks a range that was written, or that will be written before the frame's end. Whole words are uploaded. Called
   * per write; allocates only if the range ends beyond all ranges marked before.
   * @throws RhiError `out-of-range`, with the buffer's label
   */
  markDirty(byteOffset: number, byteLength: number): void {
    const areWhole = Number.isInteger(byteOffset) && Number.isInteger(byteLength);
    if (!(areWhole && byteOffset >= 0 && byteLength >= 0 && byteOffset + byteLength <= this.byteLength)) {
      throw new RhiError(
        'out-of-range',
        `${shownValue(byteLength)} bytes at ${shownValue(byteOffset)} do not fit the CPU shadow of the buffer "${this.#context.handles.label(this.buffer)}" of ${this.byteLength} bytes. Mark a range inside it.`,
      );
    }
    if (byteLength > 0) this.#shadow.dirty.markRange(byteOffset >> 2, (byteOffset + byteLength + 3) >> 2);
  }

  /**
   * Records the writes of the dirty ranges. Called automatically at the frame's end; allowed inside passes. Disposes of
   * the shadow if the buffer has been destroyed.
   */
  flush(): void {
    const { handles, writer } = this.#context;
    if (handles.isLive(this.buffer)) this.#shadow.flush(writer, this.buffer);
    else this.dispose();
  }

  /** Ends the shadow and drops its dirty ranges. The buffer keeps the uploaded data. */
  dispose(): void {
    this.#stopListening();
    this.#shadow.dirty.clear();
  }
}
