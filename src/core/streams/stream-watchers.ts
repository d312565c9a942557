/**
 * Watchers of a reader's records, such as captures and logs. They see records before the reader passes them on for
 * execution. A reader with pages passes on only the part of a page that all watchers have taken; without watchers, the
 * whole page.
 *
 *   page      | draw … | endFrame | beginFrame | draw … |
 *   watcher   sees draw …, endFrame, beginFrame: before each, all records before it have been executed
 */
import { HEADER_LENGTH_SHIFT } from '../records/record-table.js';
import type { Attachment } from './stream.js';

export interface StreamWatcher {
  /**
   * Called with the next records. All records of earlier calls have been executed.
   * @param at index in `words` of the first header; whole records follow, up to `used`
   * @returns end of the records that the watcher takes. The watcher gets the next records once these are executed
   */
  onRecords(words: Uint32Array, at: number, used: number): number;
  /** Called when the attachment of a record in `onRecords` is taken. */
  onAttachment?(number: number, attachment: Attachment): void;
}

interface Watching {
  readonly watcher: StreamWatcher;
  /** End, in the current page, of the records that the watcher has taken. */
  seen: number;
}

export class StreamWatchers {
  #all: readonly Watching[] = [];

  /** Adds a watcher. @returns a function that removes it */
  add(watcher: StreamWatcher): () => void {
    const watching = { watcher, seen: 0 };
    this.#all = [...this.#all, watching];
    return () => {
      this.#all = this.#all.filter((each) => each !== watching);
    };
  }

  /** Begins a new page, of which no watcher has seen any records. */
  turnPage(): void {
    for (const watching of this.#all) watching.seen = 0;
  }

  /** Shows the records from `at` to `used` to all watchers. @returns end of the records that may be passed on */
  show(words: Uint32Array, at: number, used: number): number {
    let end = used;
    for (const watching of this.#all) {
      if (watching.seen <= at) watching.seen = watching.watcher.onRecords(words, at, used);
      end = Math.min(end, watching.seen);
    }
    return end;
  }

  attachmentTaken(number: number, attachment: Attachment): void {
    for (const { watcher } of this.#all) watcher.onAttachment?.(number, attachment);
  }
}

/** Returns the end of the record at `at`. Returns `used` for an invalid header, which the reader then rejects. */
export function endOfRecord(words: Uint32Array, at: number, used: number): number {
  const end = at + (words[at] >>> HEADER_LENGTH_SHIFT);
  return end > at && end <= used ? end : used;
}
