import { HEADER_LENGTH_SHIFT } from '../records/record-table.js';
import type { StreamWriter } from './stream.js';

/**
 * Copies whole records behind those of the writer, a page's worth at a time. The pages that they fill are the same as if each had
 * been recorded there. Per frame: nothing is allocated but a view per page.
 *
 *   source   │ a │ b │ c │ d │ e │          from … to
 *   writer   │ … │ a │ b │ c │  page ends   │ d │ e │
 *
 * @param from the word of the first header
 * @param to the word behind the last record; no record has an attachment
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
    // Room for the whole run; its header is overwritten by that of the run's first record.
    if (end > first) writer.reserve((source[first] as number) & 0xff, end - first - 1);
    writer.words.set(source.subarray(at, end), index - 1);
    at = end;
  }
}
