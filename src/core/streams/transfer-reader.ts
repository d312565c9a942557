import type { FencepostError } from '../errors.js';
import { Queue } from '../queue.js';
import { ignore, type PortLike, type ReaderCarrier } from './carrier.js';
import { type Page, wholePage } from './page.js';
import {
  closePort,
  closeReason,
  isBare,
  messageLost,
  type PortMessage,
  PortMessageKind,
} from './port-messages.js';
import type { Attachment } from './stream.js';

/** Number of pages that are given back in one message. A reader that has no more pages gives back fewer. */
const RETURN_BATCH = 8;

/** The reading end of the carrier in `transfer-carrier.ts`. */
export class TransferReaderCarrier implements ReaderCarrier {
  onEvent: () => void = ignore;
  onLoss: () => void = ignore;
  onClose: (error: FencepostError | null) => void = ignore;
  attachmentsArrived = 0;
  readonly #port: PortLike;
  readonly #arrived = new Queue<Page>();
  readonly #attachments = new Map<number, Attachment>();
  readonly #returned: ArrayBuffer[] = [];

  constructor(port: PortLike) {
    this.#port = port;
    port.onmessage = (event) => {
      const message: PortMessage = event.data;
      if (isBare(message)) return;
      switch (message[0]) {
        case PortMessageKind.pages:
          for (let index = 0; index < message[1].length; index++) {
            const page = wholePage(message[1][index]);
            page.usedWords = message[2][index];
            this.#arrived.push(page);
          }
          break;
        case PortMessageKind.attachment:
          this.#attachments.set(message[1], message[2]);
          this.attachmentsArrived = message[1] + 1;
          break;
        case PortMessageKind.close:
          this.onClose(closeReason(message));
          return;
      }
      this.onEvent();
    };
    // Transferred pages are lost with their message, and later records make no sense without them, so end the stream.
    port.onmessageerror = () => {
      const error = messageLost(
        'a stream',
        'The stream ends here, because the pages in the message are lost.',
      );
      closePort(port, error);
      this.onClose(error);
    };
  }

  receive(): Page | undefined {
    return this.#arrived.shift();
  }

  giveBack(page: Page): void {
    this.#returned.push(page.words.buffer as ArrayBuffer);
    if (this.#returned.length >= RETURN_BATCH) this.flush();
  }

  flush(): void {
    if (this.#returned.length === 0) return;
    this.#port.postMessage([PortMessageKind.pages, this.#returned, []] satisfies PortMessage, this.#returned);
    this.#returned.length = 0;
  }

  takeAttachment(number: number): Attachment | undefined {
    const attachment = this.#attachments.get(number);
    this.#attachments.delete(number);
    return attachment;
  }

  close(error: FencepostError | null): void {
    this.#attachments.clear();
    closePort(this.#port, error);
  }
}
