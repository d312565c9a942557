/**
 * Who is told of the records that a reader hands on, before whoever reads executes them: captures, logs. A reader with
 * pages hands on as much of a page as everybody who watches has been told of; unwatched, all of it.
 *
 *   page      | draw … | endFrame | beginFrame | draw … |
 *   watcher   told of draw …, of endFrame, of beginFrame: before each, all that lies before it has been executed
 */
import { HEADER_LENGTH_SHIFT } from '../records/record-table.js';
import type { Attachment } from './stream.js';

export interface StreamWatcher {
  /**
   * Tells of what comes next; all that was told before has been executed.
   * @param at index in `words` of a record's header; whole records follow, up to `used`
   * @returns where the records end that this watcher has taken: it is told of the next ones once these were executed
   */
  onRecords(words: Uint32Array, at: number, used: number): number;
  /** An attachment of a record that was told of is taken. */
  onAttachment?(number: number, attachment: Attachment): void;
}

interface Watching {
  readonly watcher: StreamWatcher;
  /** Up to where in the page it has been told. */
  told: number;
}

export class StreamWatchers {
  #all: readonly Watching[] = [];

  /** @returns ends it */
  add(watcher: StreamWatcher): () => void {
    const watching = { watcher, told: 0 };
    this.#all = [...this.#all, watching];
    return () => {
      this.#all = this.#all.filter((each) => each !== watching);
    };
  }

  /** Other words come: nobody has been told of any. */
  turnPage(): void {
    for (const watching of this.#all) watching.told = 0;
  }

  /** Tells of the records from `at` to `used`. @returns up to where they may be handed on */
  tell(words: Uint32Array, at: number, used: number): number {
    let end = used;
    for (const watching of this.#all) {
      if (watching.told <= at) watching.told = watching.watcher.onRecords(words, at, used);
      end = Math.min(end, watching.told);
    }
    return end;
  }

  attachmentTaken(number: number, attachment: Attachment): void {
    for (const { watcher } of this.#all) watcher.onAttachment?.(number, attachment);
  }
}

/** Where the record at `at` ends; `used` where no writer produces its header, so that its reader refuses it. */
export function endOfRecord(words: Uint32Array, at: number, used: number): number {
  const end = at + (words[at] >>> HEADER_LENGTH_SHIFT);
  return end > at && end <= used ? end : used;
}
