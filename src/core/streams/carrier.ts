import type { FencepostError } from '../errors.js';
import type { Page } from './page.js';
import type { Attachment } from './stream.js';

/**
 * A carrier moves pages and attachments between the two ends of a stream; writer and reader know only these
 * two interfaces. There are three: `local` (a queue), `shared` (rings in shared memory and a port for wake-ups),
 * `transfer` (messages on a port).
 *
 *   writer ── acquire · send · flush ──► [ carrier ] ──► receive · giveBack · flush ── reader
 *          ◄─ collect · onEvent ────────             ─── onEvent ────────────────────►
 */
export interface WriterCarrier {
  /** A page of exactly `byteLength` bytes, from the pool or new. */
  acquire(byteLength: number): Page;
  /** Bytes of all pages that it has made and not dropped. */
  readonly byteLength: number;
  /** Appends a sealed page to the batch that the next `flush` publishes. */
  send(page: Page): void;
  /** Publishes the batch and wakes the reader. */
  flush(): void;
  attach(number: number, attachment: Attachment): void;
  /** Takes back the pages that the reader has given back; answers how much they count for, in pages. */
  collect(): number;
  /** Asks for `onEvent` at the next page that is given back. Collect once more after asking. */
  requestEvent(): void;
  close(error: FencepostError | null): void;
  /** Pages may have come back. */
  onEvent: () => void;
  /** The browser could not read a message. A reader of shared memory has asked for all memory again; nothing else is sent again. */
  onLoss: () => void;
  /** The other end closed the stream, with an error or in peace. */
  onClose: (error: FencepostError | null) => void;
}

export interface ReaderCarrier {
  /** The next published page, or undefined when it has not arrived. */
  receive(): Page | undefined;
  giveBack(page: Page): void;
  /** Sends the pages given back so far on their way. */
  flush(): void;
  /** Attachments arrive in the order of their numbers: all below this one are here. */
  readonly attachmentsArrived: number;
  takeAttachment(number: number): Attachment | undefined;
  /** Ends the stream. The other end hears of it. */
  close(error: FencepostError | null): void;
  /** A page, a slab or an attachment has arrived. */
  onEvent: () => void;
  /** The browser could not read a message, as for the writing end. */
  onLoss: () => void;
  onClose: (error: FencepostError | null) => void;
}

/** What a carrier needs of a MessagePort; tests put a port with explicit delivery in its place. */
export interface PortLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  /** The browser could not read a message. */
  onmessageerror?: ((event: MessageEvent) => void) | null;
  close(): void;
}

export const ignore = (): void => {};
