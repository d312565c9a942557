/**
 * The write of the map mode write-no-overwrite (SYSTEMS M1), recorded by copying words directly into the stream's page.
 * Mapping, CPU shadows, dynamic buffers and the engine's own uploads (such as instances, lights, particles) use this
 * write. It never waits, and needs no upload page. Allowed inside passes.
 */
import type { StreamWriter } from '../../core/streams/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import type { BufferHandle } from '../commands/descriptors.js';
import { INLINE_WRITE_BYTES } from '../record/command-context.js';

/**
 * Maximum number of words that a loop copies. The loop allocates nothing and takes at most about a microsecond. For
 * more words, copying a temporary view of the source saves more time than the view's allocation costs.
 */
const LOOPED_WORDS = 1024;

/**
 * Records a write. Large data is split into several records, so that several fit in a page of the stream. Called per
 * draw.
 *
 * The caller promises that no earlier command of the list reads or writes the range.
 * @param byteOffset offset in the buffer, a multiple of 4
 * @param begin index of the first word in `source`
 * @param end index after the last word
 */
export function writeWordsUnordered(
  writer: StreamWriter,
  buffer: BufferHandle,
  byteOffset: number,
  source: Uint32Array,
  begin: number,
  end: number,
): void {
  for (let from = begin; from < end; from += INLINE_WRITE_BYTES >> 2) {
    const count = Math.min(INLINE_WRITE_BYTES >> 2, end - from);
    const index = writer.reserve(RhiOpcode.writeBufferUnordered, 3 + count);
    const { words } = writer;
    words[index] = buffer;
    words[index + 1] = byteOffset + (from - begin) * 4;
    words[index + 2] = count * 4;
    if (count > LOOPED_WORDS) words.set(source.subarray(from, from + count), index + 3);
    else for (let i = 0; i < count; i++) words[index + 3 + i] = source[from + i];
  }
}
