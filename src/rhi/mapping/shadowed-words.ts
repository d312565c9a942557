/**
 * The contents of a GPU buffer in CPU memory, and the slots that have changed since the last upload (SYSTEMS M4). The
 * engine's GPU scene and material table use this class (`render/buffers/storage-buffer.ts`), as do the CPU shadows of
 * `fencepost/rhi` (`cpu-shadow.ts`).
 *
 *   CPU   │ slot 0 │ slot 1 │ slot 2* │ slot 3* │ slot 4 │      * marked in `dirty`
 *   GPU   │ slot 0 │ slot 1 │ ◄─ writeBufferUnordered ─► │      flush: one write per range of marked slots
 *
 * The writes are unordered, so they go straight to the queue, ahead of the list that records them.
 */
import type { StreamWriter } from '../../core/streams/stream.js';
import type { BufferHandle } from '../commands/descriptors.js';
import { DirtyRanges } from './dirty-ranges.js';
import { writeWordsUnordered } from './unordered-write.js';

export class ShadowedWords {
  /** The contents. The owner may replace the array by a larger one. */
  words: Uint32Array;
  readonly dirty: DirtyRanges;
  readonly slotWords: number;

  /**
   * @param slotWords 32-bit words per slot
   * @param joinedGap see `DirtyRanges`
   */
  constructor(words: Uint32Array, slotWords: number, joinedGap?: number) {
    this.words = words;
    this.slotWords = slotWords;
    this.dirty = new DirtyRanges(joinedGap);
  }

  /** Per frame: records the writes of the changed slots. Allowed inside passes. */
  flush(writer: StreamWriter, buffer: BufferHandle): void {
    const { dirty } = this;
    if (dirty.isEmpty) return;
    dirty.collect();
    for (let range = 0; range < dirty.count; range++) {
      this.#write(writer, buffer, dirty.begins[range] as number, dirty.ends[range] as number);
    }
  }

  /** Records the write of the first slots, changed or not, for a new buffer. */
  flushAll(writer: StreamWriter, buffer: BufferHandle, slots: number): void {
    this.dirty.clear();
    this.#write(writer, buffer, 0, slots);
  }

  #write(writer: StreamWriter, buffer: BufferHandle, begin: number, end: number): void {
    const { slotWords } = this;
    writeWordsUnordered(
      writer,
      buffer,
      begin * slotWords * 4,
      this.words,
      begin * slotWords,
      end * slotWords,
    );
  }
}
