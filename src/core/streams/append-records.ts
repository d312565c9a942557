import { HEADER_LENGTH_SHIFT } from '../records/record-table.js';
import type { StreamWriter } from './stream.js';

/**
 * Appends whole records to a writer's stream, as many at a time as fit into a page. The pages are the same as if each
 * record had been written on its own. Called per frame: it allocates only one view per page. No record may have an
 * attachment.
 *
 *   source   │ a │ b │ c │ d │ e │          from … to
 *   writer   │ … │ a │ b │ c │  page ends   │ d │ e │
 *
 * @param from index of the first header, in words
 * @param to index behind the last record, in words
 */
export function appendRecords(writer: StreamWriter, source: Uint32Array, from: number, to: number): void {
  for (let at = from; at < to; ) {
    const header = source[at] as number;
    const first = at + (header >>> HEADER_LENGTH_SHIFT);
    const index = writer.reserve(header & 0xff, first - at - 1);
    const room = writer.words.length - (index - 1 + first - at);
    let end = first;
    while (end < to) {
      const next = end + ((source[end] as number) >>> HEADER_LENGTH_SHIFT);
      if (next - first > room) break;
      end = next;
    }
    // Reserve room for the rest of the run. The copy overwrites the header that `reserve` writes.
    if (end > first) writer.reserve((source[first] as number) & 0xff, end - first - 1);
    writer.words.set(source.subarray(at, end), index - 1);
    at = end;
  }
}
