import { HEADER_ATTACHMENT_BIT, wholeRecordEnd } from '../records/record-table.js';
import type { StreamWriter } from './stream.js';

/**
 * Appends whole records to a writer's stream, as many at a time as fit into a page. The pages are the same as if each
 * record had been written on its own. Called per frame: it allocates only one view per page. It stops at a record with
 * an attachment, which the caller appends, and at words that are not records.
 *
 *   source   │ a │ b │ c │ d │ e │          from … to
 *   writer   │ … │ a │ b │ c │  page ends   │ d │ e │
 *
 * @param from index of the first header, in words
 * @param to index behind the last record, in words
 * @param opcodes length of the table's `names`
 * @returns the index behind the last appended record
 */
export function appendRecords(
  writer: StreamWriter,
  source: Uint32Array,
  from: number,
  to: number,
  opcodes: number,
): number {
  for (let at = from; at < to; ) {
    const first = plainRecordEnd(source, at, to, opcodes);
    if (first === 0) return at;
    const index = writer.reserve(source[at] & 0xff, first - at - 1);
    const room = writer.words.length - (index - 1 + first - at);
    let end = first;
    while (end < to) {
      const next = plainRecordEnd(source, end, to, opcodes);
      if (next === 0 || next - first > room) break;
      end = next;
    }
    // Reserve room for the rest of the run. The copy overwrites the header that `reserve` writes.
    if (end > first) writer.reserve(source[first] & 0xff, end - first - 1);
    writer.words.set(source.subarray(at, end), index - 1);
    at = end;
  }
  return to;
}

/** Returns the index behind a whole record without an attachment; 0 for other words. Called per record. */
function plainRecordEnd(source: Uint32Array, at: number, to: number, opcodes: number): number {
  return (source[at] & HEADER_ATTACHMENT_BIT) === 0 ? wholeRecordEnd(source, at, to, opcodes) : 0;
}
