import type { FencepostError } from '../errors.js';
import type { StreamWatcher } from './stream-watchers.js';

/**
 * What both ends of a page stream look like, whatever carries the pages.
 *
 *   writer thread                                            reader thread
 *   reserve → write → publish ──── pages, in order ────►     next → read
 *   attach ─────────────────────── attachments ─────────►    attachment
 *   page pool ◄─────────────────── pages, given back ────    (when the next page is begun)
 *
 * A page belongs to exactly one side at any time; publishing passes it on. Carriers: `local` (both ends on
 * one thread), `shared` (SharedArrayBuffer slabs, when cross-origin isolated), `transfer` (ArrayBuffers).
 */

/** Bytes in an ordinary page. A larger record gets an oversize page of its own. */
export const PAGE_BYTES = 65536;

/** What bytes can't carry; it travels beside the stream and is named by number in a record. */
export type Attachment = ArrayBuffer | ImageBitmap | MessagePort;

export interface StreamLimits {
  /** Pages filled but unpublished at which the writer publishes early. Default 8. */
  readonly softPages: number;
  /** Pages not yet given back at which `whenWritable()` waits. Default 256 (16 MiB). */
  readonly hardPages: number;
  /** Pages not yet given back at which `reserve` throws `stream-overrun`. Default 4096 (256 MiB). */
  readonly fatalPages: number;
}

export interface StreamWriter {
  /** Views of the page being written. They change whenever `reserve` starts another page: read them after it. */
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  /**
   * Makes room for a record and writes its header.
   * @returns the index in `words` of its first field
   */
  reserve(opcode: number, fieldWords: number): number;
  /** Like `reserve`, for a record that names an attachment: `attach` it first, its number is the first field. */
  reserveWithAttachment(opcode: number, fieldWords: number): number;
  /**
   * Sends an object beside the stream (it is transferred) and returns its number, to be written in a record.
   * @throws StateError `attachment-refused` where the object can't be transferred (a tainted or closed image, a
   *   buffer that is detached or too large); nothing was sent then, and the stream goes on
   */
  attach(attachment: Attachment): number;
  /** Passes every page written so far to the reader and wakes it. */
  publish(): void;
  /** How many words of the page being written records take; 0 where there is none. */
  readonly usedWords: number;
  /** Called before the page being written is passed on, while its records can be read in `words`. */
  onSeal?: (() => void) | null;
  /** Called when a page is begun: whoever records is at work. */
  onProgress?: (() => void) | null;
  /** Total bytes of records written since the stream began. */
  readonly bytesWritten: number;
  /** Bytes of all pages that the stream has, empty ones included. */
  readonly pageBytes: number;
  /** How often pages were passed to the reader. While it is the same, the words written since are still here. */
  readonly batchesSent: number;
  /** Pages not yet given back, the one being written included. */
  readonly pagesOutstanding: number;
  /** True when fewer than `hardPages` are outstanding. */
  readonly isWritable: boolean;
  /** Resolves when `isWritable` is true; rejects when the stream has failed or closed. */
  whenWritable(): Promise<void>;
  /** Ends the stream; waiters reject. */
  close(reason?: Error): void;
  /** Called once, when the stream has failed or was closed, by either end. */
  onFail?: ((error: FencepostError) => void) | null;
}

export interface StreamReader {
  /** Views of the page that holds the current record. */
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  /** The current record: its opcode, the index in `words` of its first field, and how many words they take. */
  readonly opcode: number;
  readonly fields: number;
  readonly fieldWords: number;
  /**
   * Moves to the next record. False when none has arrived, or when the next one names an attachment that has
   * not arrived yet. The page of the record before it may be given back by this call.
   * Throws `StreamError` `stream-corrupt` when a header is not what a writer produces.
   */
  next(): boolean;
  /** Takes attachment `number`, which the current record names; it can be taken once. */
  attachment(number: number): Attachment;
  /** Called (never re-entrantly, never inside `next`) when something has arrived. */
  onAvailable: (() => void) | null;
  /** Ends the stream; the writer's calls and waiters fail with `reason`. */
  close(reason?: Error): void;
  /** Has `watcher` told of all records from the next one on. @returns ends that */
  watch?(watcher: StreamWatcher): () => void;
}

/** An attachment that has not arrived, and the record that can't be read without it. */
export interface AwaitedAttachment {
  readonly number: number;
  /** Name of the record in the stream's table. */
  readonly record: string;
  readonly stream: string;
}

/** A reader that was not wrapped: it knows the stream's end. */
export interface EndingReader extends StreamReader {
  /** Total bytes of records read since the stream began: what `bytesWritten` of the writer was behind the last of them. */
  readonly bytesRead: number;
  /** Resolves when nothing more can arrive: the writer has closed the stream behind its last page, or this end has. */
  whenEnded(): Promise<void>;
}

/** The part of a reader that tells how far it is: which attachment it stands still for, and that it goes on. */
export interface AttachmentReader {
  /** Null while nothing is missing. */
  readonly awaitedAttachment: AwaitedAttachment | null;
  /** Called when `next` finds that an attachment is missing: once per attachment. */
  onAttachmentWait: (() => void) | null;
  /** Called when a page is begun and when an attachment is taken: whoever executes the records is at work. */
  onProgress: (() => void) | null;
  close(reason?: Error): void;
}

/**
 * A reader whose records lie one after the other in pages, for who knows the format well enough to take runs of
 * records at a time. A reader that wraps another one is none, so what needs this does without, unless it hands on
 * pages, or parts of them, itself.
 */
export interface PageCursor extends StreamReader {
  opcode: number;
  /** Index in `words` of the next record's header: the records from here to `used` can be read. */
  cursor: number;
  readonly used: number;
  /** Hands on more records when `cursor` has reached `used`, mostly those of the next page. False when none has arrived. */
  turnPage(): boolean;
}

export const isPageCursor = (reader: StreamReader): reader is PageCursor => 'turnPage' in reader;
