import type { BufferHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';

/** Bytes per write record; several fit in a page of the stream. */
const CHUNK_WORDS = 8192;

/**
 * Records writes of `words[begin]` up to but without `words[end]` to a buffer. Per frame, for megabytes: the words
 * are copied straight into the command stream, and no view or object is made.
 */
export function uploadWords(
  rhi: ImmediateContext,
  buffer: BufferHandle,
  byteOffset: number,
  words: Uint32Array,
  begin: number,
  end: number,
): void {
  for (let from = begin; from < end; from += CHUNK_WORDS) {
    const count = Math.min(CHUNK_WORDS, end - from);
    const to = rhi.reserveBufferWrite(buffer, byteOffset + (from - begin) * 4, count * 4);
    const target = rhi.writer.words;
    for (let index = 0; index < count; index++) target[to + index] = words[from + index] as number;
  }
}
