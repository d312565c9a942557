import type { FencepostError } from '../errors.js';
import { ignore, type PortLike, type WriterCarrier } from './carrier.js';
import { type Page, wholePage } from './page.js';
import { PagePool } from './page-pool.js';
import { closePort, closeReason, isBare, type PortMessage, PortMessageKind } from './port-messages.js';
import type { Attachment } from './stream.js';

/**
 * Carries pages without shared memory, by transferring their ArrayBuffers. A publish is one message with all its
 * pages. The reader gives pages back in batches. A transfer creates a new buffer object at the receiving end, so each
 * transfer of a page also allocates new views.
 *
 *   writer ── [pages, used words] ──► reader       attachments travel on the same port, before the record
 *          ◄── [pages] ───────────────             that names them is published
 *
 * This is the writing end; `transfer-reader.ts` is the reading end.
 */
export class TransferWriterCarrier implements WriterCarrier {
  onEvent: () => void = ignore;
  onLoss: () => void = ignore;
  onClose: (error: FencepostError | null) => void = ignore;
  readonly #port: PortLike;
  readonly #pool = new PagePool();
  #buffers: ArrayBuffer[] = [];
  #usedWords: number[] = [];
  #returnedCost = 0;
  #publishCount = 0;

  constructor(port: PortLike) {
    this.#port = port;
    port.onmessage = (event) => {
      const message: PortMessage = event.data;
      if (isBare(message)) return;
      if (message[0] === PortMessageKind.pages) {
        for (const buffer of message[1]) {
          const page = wholePage(buffer);
          this.#returnedCost += page.cost;
          this.#pool.put(page, this.#publishCount);
        }
        this.onEvent();
      } else if (message[0] === PortMessageKind.close) {
        this.onClose(closeReason(message));
      }
    };
    port.onmessageerror = () => this.onLoss();
  }

  get byteLength(): number {
    return this.#pool.byteLength;
  }

  acquire(byteLength: number): Page {
    const page = this.#pool.take(byteLength);
    if (page !== undefined) return page;
    this.#pool.byteLength += byteLength;
    return wholePage(new ArrayBuffer(byteLength));
  }

  send(page: Page): void {
    this.#buffers.push(page.words.buffer as ArrayBuffer);
    this.#usedWords.push(page.usedWords);
  }

  flush(): void {
    this.#port.postMessage(
      [PortMessageKind.pages, this.#buffers, this.#usedWords] satisfies PortMessage,
      this.#buffers,
    );
    this.#buffers.length = 0;
    this.#usedWords.length = 0;
    this.#publishCount++;
    while (this.#pool.trim(this.#publishCount));
  }

  attach(number: number, attachment: Attachment): void {
    this.#port.postMessage([PortMessageKind.attachment, number, attachment] satisfies PortMessage, [
      attachment,
    ]);
  }

  collect(): number {
    const cost = this.#returnedCost;
    this.#returnedCost = 0;
    return cost;
  }

  /** Does nothing: every message with pages that the reader gives back calls `onEvent`. */
  requestEvent(): void {}

  close(error: FencepostError | null): void {
    closePort(this.#port, error);
  }
}
