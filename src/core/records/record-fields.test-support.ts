/** Writes records that the engine's own encoders would not write, for tests of readers. */
import type { Attachment, StreamWriter } from '../../core/streams/stream.js';

const wordsFor = (byteLength: number): number => 1 + ((byteLength + 3) >>> 2);

/**
 * Writes a record of single words, then fields of variable length.
 * @param leading the fields of one word
 * @param fields the `string`, `json` and `bytes` fields after them
 * @param attachment attachment to send beside the stream; its number is the first field
 */
export function writeRecord(
  writer: StreamWriter,
  opcode: number,
  leading: readonly number[],
  fields: readonly Uint8Array[] = [],
  attachment?: Attachment,
): void {
  const first = attachment ? [writer.attach(attachment), ...leading] : leading;
  let count = first.length;
  for (const bytes of fields) count += wordsFor(bytes.length);
  let at = attachment ? writer.reserveWithAttachment(opcode, count) : writer.reserve(opcode, count);
  const { words } = writer;
  words.set(first, at);
  at += first.length;
  for (const bytes of fields) {
    const end = at + wordsFor(bytes.length);
    words[end - 1] = 0;
    words[at] = bytes.length;
    new Uint8Array(words.buffer, words.byteOffset + (at + 1) * 4, bytes.length).set(bytes);
    at = end;
  }
}
