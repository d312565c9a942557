import {
  asStreamError,
  type FencepostError,
  isTyped,
  messageOf,
  StateError,
  StreamError,
} from '../errors.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT, MAXIMUM_RECORD_WORDS } from '../records/record-table.js';
import type { WriterCarrier } from './carrier.js';
import { type Page, pageBytesFor } from './page.js';
import type { Attachment, StreamLimits, StreamWriter } from './stream.js';
import { countRecords, StreamOverrunError, type StreamTable } from './stream-overrun.js';

export const DEFAULT_STREAM_LIMITS: StreamLimits = { softPages: 8, hardPages: 256, fatalPages: 4096 };

const noWords = new Uint32Array(0);
const noInts = new Int32Array(0);
const noFloats = new Float32Array(0);

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The writing end of a page stream, on any carrier. `reserve` is the hot path, called once per record: a bound check
 * and a header. A page begins with the first record that needs it. The page is sealed when the next record does not
 * fit, or when the stream is published.
 *
 *   page  | header fields… | header fields… |            |
 *         0                                 #cursor      #capacity      (words)
 *
 * When the stream fails, `#capacity` becomes 0, so that the hot path needs no check for a failure.
 */
export class PageWriter implements StreamWriter {
  words: Uint32Array<ArrayBufferLike> = noWords;
  ints: Int32Array<ArrayBufferLike> = noInts;
  floats: Float32Array<ArrayBufferLike> = noFloats;
  onFail: ((error: FencepostError) => void) | null = null;
  onSeal: (() => void) | null = null;
  onProgress: (() => void) | null = null;
  /** Called when a message from the reading end could not be read. */
  onLoss: (() => void) | null = null;
  readonly #carrier: WriterCarrier;
  readonly #table: StreamTable;
  readonly #limits: StreamLimits;
  #page: Page | undefined;
  #cursor = 0;
  #capacity = 0;
  #sealedBytes = 0;
  #sealedPages = 0;
  #outstanding = 0;
  #attachments = 0;
  #counts: Uint32Array | undefined;
  #batchesSent = 0;
  #waiters: Waiter[] = [];
  #failure: FencepostError | undefined;

  constructor(carrier: WriterCarrier, table: StreamTable, limits: Partial<StreamLimits> = {}) {
    this.#carrier = carrier;
    this.#table = table;
    this.#limits = { ...DEFAULT_STREAM_LIMITS, ...limits };
    carrier.onEvent = () => this.#wakeWaiters();
    carrier.onLoss = () => this.onLoss?.();
    carrier.onClose = (error) => this.#fail(error ?? closedError(table.name, 'reader'));
  }

  reserve(opcode: number, fieldWords: number): number {
    const at = this.#cursor;
    const end = at + fieldWords + 1;
    // Reject fractions: a cursor that is not a whole number would make the reader wait for ever.
    if (end > this.#capacity || fieldWords >>> 0 !== fieldWords)
      return this.#reserveInNewPage(opcode, fieldWords);
    this.#cursor = end;
    this.words[at] = opcode | ((end - at) << HEADER_LENGTH_SHIFT);
    return at + 1;
  }

  reserveWithAttachment(opcode: number, fieldWords: number): number {
    const fields = this.reserve(opcode, fieldWords);
    this.words[fields - 1] |= HEADER_ATTACHMENT_BIT;
    return fields;
  }

  attach(attachment: Attachment): number {
    if (this.#failure) throw this.#failure;
    const number = this.#attachments;
    try {
      this.#carrier.attach(number, attachment);
    } catch (cause) {
      if (isTyped(cause)) throw cause;
      // Don't throw a StreamError: the stream itself is intact. The next attachment gets the same number, because the
      // reader would wait for ever for a number that was never sent.
      throw new StateError(
        'attachment-refused',
        `An attachment can't be sent beside the stream "${this.#table.name}": ${messageOf(cause)}`,
        { cause },
      );
    }
    this.#attachments++;
    return number;
  }

  /**
   * Restarts the numbers of attachments at 0. Called when a writer begins another command list, because each list
   * numbers its own attachments.
   */
  restartAttachments(): void {
    this.#attachments = 0;
  }

  publish(): void {
    if (this.#failure) throw this.#failure;
    this.#seal();
    this.#flush();
  }

  get pageBytes(): number {
    return this.#carrier.byteLength;
  }

  get usedWords(): number {
    return this.#cursor;
  }

  get bytesWritten(): number {
    return this.#sealedBytes + this.#cursor * 4;
  }

  get batchesSent(): number {
    return this.#batchesSent;
  }

  get pagesOutstanding(): number {
    if (!this.#failure) this.#outstanding -= this.#carrier.collect();
    return this.#outstanding;
  }

  get isWritable(): boolean {
    return this.pagesOutstanding < this.#limits.hardPages;
  }

  whenWritable(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.isWritable) return Promise.resolve();
    this.#flush(); // the reader can only give back published pages
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#wakeWaiters();
    });
  }

  close(reason?: Error): void {
    if (this.#failure) return;
    this.#seal();
    this.#flush();
    const error = reason ? asStreamError(reason) : null;
    this.#carrier.close(error);
    this.#fail(error ?? closedError(this.#table.name, 'writer'));
  }

  #reserveInNewPage(opcode: number, fieldWords: number): number {
    if (this.#failure) throw this.#failure;
    const recordWords = fieldWords + 1;
    if (recordWords % 1 || !(recordWords >= 1 && recordWords <= MAXIMUM_RECORD_WORDS)) {
      throw new StreamError(
        'record-too-large',
        `A record "${this.#table.names[opcode]}" of ${recordWords} words does not fit into the stream "${this.#table.name}", whose longest record has ${MAXIMUM_RECORD_WORDS}. Send its data as an attachment.`,
      );
    }
    this.#seal();
    if (this.#sealedPages >= this.#limits.softPages) this.#flush();
    const byteLength = pageBytesFor(recordWords);
    // Count the new page too, so that the limit is checked before its memory is allocated.
    const outstanding = this.pagesOutstanding + Math.ceil(byteLength / pageBytesFor(1));
    if (outstanding > this.#limits.fatalPages) this.#overrun(opcode);
    const page = this.#carrier.acquire(byteLength);
    this.#outstanding = outstanding;
    this.#page = page;
    this.words = page.words;
    this.ints = page.ints;
    this.floats = page.floats;
    this.#capacity = page.words.length;
    this.#cursor = recordWords;
    page.words[0] = opcode | (recordWords << HEADER_LENGTH_SHIFT);
    this.onProgress?.();
    return 1;
  }

  /** Ends the page being written and hands it to the carrier. The next flush publishes it. */
  #seal(): void {
    const page = this.#page;
    if (page === undefined) return;
    this.onSeal?.();
    page.usedWords = this.#cursor;
    if (this.#outstanding >= Math.min(this.#limits.hardPages, this.#limits.fatalPages >> 1)) {
      this.#counts ??= new Uint32Array(256);
      countRecords(page.words, page.usedWords, this.#counts);
    } else if (this.#counts) {
      this.#counts = undefined;
    }
    this.#sealedBytes += this.#cursor * 4;
    this.#sealedPages++;
    this.#cursor = 0;
    this.#capacity = 0;
    this.#page = undefined;
    this.#carrier.send(page);
  }

  #flush(): void {
    if (this.#sealedPages === 0) return;
    this.#sealedPages = 0;
    this.#batchesSent++;
    this.#carrier.flush();
  }

  #overrun(opcode: number): never {
    const counts = this.#counts ?? new Uint32Array(256);
    counts[opcode]++;
    const usage = {
      pagesOutstanding: this.#outstanding,
      bytesWritten: this.bytesWritten,
      limits: this.#limits,
    };
    const error = new StreamOverrunError(this.#table, usage, counts);
    this.close(error);
    throw error;
  }

  #wakeWaiters(): void {
    if (this.#waiters.length === 0) return;
    if (!this.isWritable) {
      // Request the event first, then check again. A page that is given back in between sends the event or is seen by
      // the check.
      this.#carrier.requestEvent();
      if (!this.isWritable) {
        // Publish the page being written only if no other page is in flight. Otherwise a writer that waits per record
        // would publish a page per record.
        if (this.#outstanding <= (this.#page?.cost ?? 0)) this.publish();
        return;
      }
    }
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.resolve();
  }

  #fail(error: FencepostError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#page = undefined;
    this.#sealedBytes = this.bytesWritten;
    this.#cursor = 0;
    this.#capacity = 0;
    const waiters = this.#waiters;
    this.#waiters = [];
    this.onFail?.(error);
    for (const waiter of waiters) waiter.reject(error);
  }
}

function closedError(stream: string, side: string): StreamError {
  return new StreamError(
    'stream-closed',
    `The ${side} of the stream "${stream}" has closed it. No more records can be written; create a new stream.`,
  );
}
