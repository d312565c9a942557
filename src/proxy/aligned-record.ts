import { PAGE_BYTES, type StreamWriter } from '../core/streams/stream.js';

/**
 * Reserves a record of two lists: padding, then `length` words. The padding makes the second list begin at an even
 * word.
 *
 *   header │ padding │ (0) │ length │ words …             the header follows the last record, or begins a page
 *
 * V8 copies into shared memory eight bytes at a time if source and destination are both aligned to eight
 * bytes. Otherwise it copies byte by byte, which takes ten times as long.
 *
 * @returns index of the first of the `length` words in `writer.words`
 */
export function reserveAligned(writer: StreamWriter, opcode: number, length: number): number {
  const { usedWords } = writer;
  let padding = (usedWords + 1) % 2;
  // A record that does not fit begins a page.
  if (usedWords + 3 + padding + length > PAGE_BYTES / 4) padding = 1;
  let at = writer.reserve(opcode, 2 + padding + length);
  const { words } = writer;
  words[at++] = padding;
  if (padding) words[at++] = 0;
  words[at++] = length;
  return at;
}
