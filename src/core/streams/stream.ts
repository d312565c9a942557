/**
 * The interfaces of both ends of a page stream, on any carrier.
 *
 *   writer thread                                            reader thread
 *   reserve → write → publish ──── pages, in order ────►     next → read
 *   attach ─────────────────────── attachments ─────────►    attachment
 *   page pool ◄─────────────────── pages, given back ────    (when the next page is begun)
 *
 * A page belongs to exactly one end at any time; publishing passes it on. A carrier moves the pages. There are three:
 * `local` (both ends on one thread), `shared` (SharedArrayBuffer slabs, when cross-origin isolated), `transfer`
 * (ArrayBuffers).
 */

import type { FencepostError } from '../errors.js';
import type { StreamWatcher } from './stream-watchers.js';

/** Bytes in an ordinary page. A larger record gets an oversize page of its own. */
export const PAGE_BYTES = 65536;

/** An object that can't be written as bytes. It is sent beside the stream, and a record names it by its number. */
export type Attachment = ArrayBuffer | ImageBitmap | MessagePort;

export interface StreamLimits {
  /** Number of filled, unpublished pages at which the writer publishes early. Default 8. */
  readonly softPages: number;
  /** Number of outstanding pages at which `whenWritable()` waits. Default 256 (16 MiB). */
  readonly hardPages: number;
  /** Number of outstanding pages beyond which `reserve` throws `stream-overrun`. Default 4096 (256 MiB). */
  readonly fatalPages: number;
}

export interface StreamWriter {
  /**
   * Views of the page being written. They change whenever `reserve` starts another page, so read them after `reserve`.
   */
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  /**
   * Reserves the words of a record and writes its header.
   * @returns the index in `words` of its first field
   */
  reserve(opcode: number, fieldWords: number): number;
  /** Reserves a record that names an attachment. Call `attach` before, and write its number into the first field. */
  reserveWithAttachment(opcode: number, fieldWords: number): number;
  /**
   * Sends an object beside the stream and returns its number, for the record that names it. All carriers but `local`
   * transfer the object.
   * @throws StateError `attachment-refused` if the object can't be transferred (a tainted or closed image, a buffer
   * that is detached or too large). Nothing is sent then, and the stream continues
   */
  attach(attachment: Attachment): number;
  /** Passes every page written so far to the reader and wakes it. */
  publish(): void;
  /** Words of records in the page being written; 0 if there is none. */
  readonly usedWords: number;
  /** Called before the page being written is published, while its records can still be read in `words`. */
  onSeal?: (() => void) | null;
  /** Called when a page is begun, which shows that the recording thread is alive. */
  onProgress?: (() => void) | null;
  /** Total bytes of records written since the stream began. */
  readonly bytesWritten: number;
  /** Bytes of all pages of the stream, including free pages. */
  readonly pageBytes: number;
  /**
   * Number of batches passed to the reader. While the number is unchanged, the reader was not woken for the words
   * written since. A reader of shared memory may still have taken sealed pages.
   */
  readonly batchesSent: number;
  /** Number of outstanding pages: pages that the reader has not given back, and the page being written. */
  readonly pagesOutstanding: number;
  /** True when fewer than `hardPages` are outstanding. */
  readonly isWritable: boolean;
  /** Resolves when `isWritable` is true; rejects when the stream has failed or closed. */
  whenWritable(): Promise<void>;
  /** Ends the stream. Pending `whenWritable` promises reject. */
  close(reason?: Error): void;
  /** Called once, when the stream has failed or either end has closed it. */
  onFail?: ((error: FencepostError) => void) | null;
}

export interface StreamReader {
  /** Views of the page that holds the current record. */
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  /** Opcode of the current record. */
  readonly opcode: number;
  /** Index in `words` of the current record's first field. */
  readonly fields: number;
  /** Number of words of the current record's fields. */
  readonly fieldWords: number;
  /**
   * Moves to the next record. This call may give back the page of the previous record.
   * @returns false if no record has arrived, or the next one names an attachment that has not arrived
   * @throws StreamError `stream-corrupt` for an invalid header; the error with which either end has closed the stream
   */
  next(): boolean;
  /**
   * Takes attachment `number`, which the current record names. Each attachment can be taken once.
   * @throws StateError `attachment-missing`
   */
  attachment(number: number): Attachment;
  /**
   * Called when a page or an attachment has arrived, or the writer has closed the stream with an error. Never called
   * re-entrantly, and never inside `next`.
   */
  onAvailable: (() => void) | null;
  /** Ends the stream; the writer's calls and waiters fail with `reason`. */
  close(reason?: Error): void;
  /** Shows all records from the next one on to `watcher`. @returns a function that removes the watcher */
  watch?(watcher: StreamWatcher): () => void;
}

/** An attachment that has not arrived, and the record that can't be read without it. */
export interface AwaitedAttachment {
  readonly number: number;
  /** Name of the record in the stream's table. */
  readonly record: string;
  readonly stream: string;
}

/** A reader that reports the end of its stream. Readers that wrap another reader don't. */
export interface EndingReader extends StreamReader {
  /**
   * Total bytes of records read since the stream began. After the last record it equals the writer's `bytesWritten`.
   */
  readonly bytesRead: number;
  /**
   * Resolves when no more pages can arrive: the writer has closed the stream after its last page, or this end has
   * closed it.
   */
  whenEnded(): Promise<void>;
}

/** The part of a reader that reports its progress, and the attachment for which it waits. */
export interface AttachmentReader {
  /** The missing attachment, or `null`. */
  readonly awaitedAttachment: AwaitedAttachment | null;
  /** Called when `next` finds a missing attachment, once per attachment. */
  onAttachmentWait: (() => void) | null;
  /** Called when a page is begun or an attachment is taken, which shows that the executing thread is alive. */
  onProgress: (() => void) | null;
  close(reason?: Error): void;
}

/**
 * A reader whose records are consecutive in pages, for executors that process runs of records at a time. Readers that
 * wrap other readers are usually not page cursors, so executors must also work without one.
 */
export interface PageCursor extends StreamReader {
  opcode: number;
  /** Index in `words` of the next record's header: the records from this index to `used` can be read. */
  cursor: number;
  readonly used: number;
  /**
   * Provides more records when `cursor` has reached `used`, usually the next page.
   * @returns false if no record has arrived
   */
  turnPage(): boolean;
}

export const isPageCursor = (reader: StreamReader): reader is PageCursor => 'turnPage' in reader;
