import type { BufferHandle } from '../../rhi/commands/descriptors.js';
import { RESERVED_WRITE_BYTES } from '../../rhi/record/command-context.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Words per write record: as many as a page of the stream holds. */
const CHUNK_WORDS = RESERVED_WRITE_BYTES / 4;
/** Minimum number of words for which `set` with a temporary view is faster than copying one by one. */
const LEAST_VIEWED_WORDS = 1024;

/**
 * Records writes of the words from `begin` to `end` (exclusive) to a buffer. Called per frame, for megabytes. The
 * words are copied straight into the command stream. Only records of at least
 * `LEAST_VIEWED_WORDS` allocate something: a temporary view each.
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
    if (count >= LEAST_VIEWED_WORDS) target.set(words.subarray(from, from + count), to);
    else for (let index = 0; index < count; index++) target[to + index] = words[from + index] as number;
  }
}
