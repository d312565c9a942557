import { asStreamError, type FencepostError, StateError, StreamError } from '../errors.js';
import { HEADER_ATTACHMENT_BIT, wholeRecordEnd } from '../records/record-table.js';
import type { ReaderCarrier } from './carrier.js';
import type { Page } from './page.js';
import type { Attachment, AttachmentReader, AwaitedAttachment, EndingReader, PageCursor } from './stream.js';
import type { StreamTable } from './stream-overrun.js';
import { type StreamWatcher, StreamWatchers } from './stream-watchers.js';

const noWords = new Uint32Array(0);
const noInts = new Int32Array(0);
const noFloats = new Float32Array(0);

/**
 * The reading end of a page stream, on any carrier. `next` is the hot path, called once per record: it reads and
 * checks a header. A call after the last record of a page gives the page back to the writer. A record that names an
 * attachment holds the attachment's number in its first field.
 */
export class PageReader implements PageCursor, AttachmentReader, EndingReader {
  words: Uint32Array<ArrayBufferLike> = noWords;
  ints: Int32Array<ArrayBufferLike> = noInts;
  floats: Float32Array<ArrayBufferLike> = noFloats;
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  cursor = 0;
  used = 0;
  awaitedAttachment: AwaitedAttachment | null = null;
  onAttachmentWait: (() => void) | null = null;
  onProgress: (() => void) | null = null;
  /**
   * Called when a message of the stream could not be read. The writer then sends shared memory again, but not
   * attachments. Without shared memory, the stream ends instead.
   */
  onLoss: (() => void) | null = null;
  readonly #carrier: ReaderCarrier;
  readonly #table: StreamTable;
  readonly #opcodeEnd: number;
  readonly #watchers = new StreamWatchers();
  #page: Page | undefined;
  /** Bytes of records in the pages before this one. */
  #bytesBefore = 0;
  /** End of the page's records. With watchers, `used` may be before it. */
  #pageEnd = 0;
  #onAvailable: (() => void) | null = null;
  #hasNews = false;
  #isDelivering = false;
  #isClosed = false;
  /** Error with which this end has closed the stream. `next` throws it at once. */
  #failure: FencepostError | null = null;
  /** Error that the writer sent. `next` throws it after the last record. */
  #sentFailure: FencepostError | null = null;
  #resolveEnded: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#resolveEnded = resolve;
  });

  constructor(carrier: ReaderCarrier, table: StreamTable) {
    this.#carrier = carrier;
    this.#table = table;
    this.#opcodeEnd = table.names.length;
    carrier.onEvent = () => this.#announce();
    carrier.onLoss = () => this.onLoss?.();
    carrier.onClose = (error) => {
      this.#sentFailure = error;
      this.#resolveEnded();
      if (error) this.#announce();
    };
  }

  next(): boolean {
    const at = this.cursor;
    if (at >= this.used) return this.turnPage() && this.next();
    const header = this.words[at];
    const end = wholeRecordEnd(this.words, at, this.used, this.#opcodeEnd);
    const opcode = header & 0xff;
    if (end === 0) this.#corrupt(at, header);
    if ((header & HEADER_ATTACHMENT_BIT) !== 0) {
      if (end === at + 1) this.#corrupt(at, header);
      const number = this.words[at + 1];
      if (number >= this.#carrier.attachmentsArrived) return this.#awaitAttachment(number, opcode);
      this.awaitedAttachment = null;
    }
    this.opcode = opcode;
    this.fields = at + 1;
    this.fieldWords = end - at - 1;
    this.cursor = end;
    return true;
  }

  get bytesRead(): number {
    return this.#bytesBefore + this.cursor * 4;
  }

  turnPage(): boolean {
    if (this.#failure) throw this.#failure;
    if (this.#isClosed) return false;
    if (this.cursor < this.#pageEnd) return this.#passOn();
    if (this.#page) {
      this.#carrier.giveBack(this.#page);
      this.#forgetPage();
    }
    const page = this.#carrier.receive();
    if (page === undefined) {
      this.#carrier.flush();
      if (this.#sentFailure) throw this.#sentFailure;
      return false;
    }
    this.#page = page;
    this.words = page.words;
    this.ints = page.ints;
    this.floats = page.floats;
    this.#pageEnd = page.usedWords;
    if (page.usedWords === 0 || page.usedWords > page.words.length) this.#corrupt(0, 0);
    this.#watchers.turnPage();
    this.onProgress?.();
    return this.#passOn();
  }

  attachment(number: number): Attachment {
    const attachment = this.#carrier.takeAttachment(number);
    if (attachment == null) {
      // Don't throw a StreamError: the stream itself is intact, and continues after this record.
      throw new StateError(
        'attachment-missing',
        `Attachment ${number} of the stream "${this.#table.name}" is missing: no record read so far names it, or it was taken before. Take an attachment once, while its record is the current one.`,
      );
    }
    this.onProgress?.();
    this.#watchers.attachmentTaken(number, attachment);
    return attachment;
  }

  watch(watcher: StreamWatcher): () => void {
    const end = this.#watchers.add(watcher);
    // Pass on the records after the cursor again, so that the new watcher sees them first.
    this.used = this.cursor;
    return end;
  }

  get onAvailable(): (() => void) | null {
    return this.#onAvailable;
  }

  set onAvailable(listener: (() => void) | null) {
    this.#onAvailable = listener;
    // Announce records that arrived before the listener was set, but not inside this assignment.
    if (listener && this.#hasNews) queueMicrotask(() => this.#hasNews && this.#announce());
  }

  close(reason?: Error): void {
    this.#end(reason ? asStreamError(reason) : null);
  }

  whenEnded(): Promise<void> {
    return this.#ended;
  }

  /** Passes on the records that all watchers have taken. */
  #passOn(): true {
    this.used = this.#watchers.show(this.words, this.cursor, this.#pageEnd);
    return true;
  }

  #awaitAttachment(number: number, opcode: number): false {
    if (this.awaitedAttachment?.number === number) return false;
    this.awaitedAttachment = { number, record: this.#table.names[opcode], stream: this.#table.name };
    this.onAttachmentWait?.();
    return false;
  }

  #forgetPage(): void {
    this.#page = undefined;
    this.#bytesBefore += this.cursor * 4;
    this.cursor = 0;
    this.used = 0;
    this.#pageEnd = 0;
  }

  #announce(): void {
    if (this.#isClosed) return;
    this.#hasNews = true;
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      while (this.#hasNews && this.#onAvailable) {
        this.#hasNews = false;
        this.#onAvailable();
      }
    } finally {
      this.#isDelivering = false;
    }
  }

  #corrupt(at: number, header: number): never {
    const used = this.#pageEnd;
    const error = new StreamError(
      'stream-corrupt',
      `The stream "${this.#table.name}" holds the header 0x${header.toString(16)} at word ${at} of a page with ${used} used words, which no writer produces. Check that writer and reader use the same record table and that nothing writes to a published page.`,
    );
    this.#end(error);
    throw error;
  }

  #end(error: FencepostError | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = error;
    this.awaitedAttachment = null;
    this.#forgetPage();
    this.#resolveEnded();
    this.#carrier.close(error);
  }
}
