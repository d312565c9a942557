import type { FencepostError } from '../errors.js';
import type { Page } from './page.js';
import type { Attachment } from './stream.js';

/**
 * A carrier moves pages and attachments between the two ends of a stream. The writer and the reader know only the two
 * interfaces in this file. There are three carriers: `local` (a queue), `shared` (rings in shared memory, and a port),
 * `transfer` (messages on a port).
 *
 *   writer ── acquire · send · flush ──► [ carrier ] ──► receive · giveBack · flush ── reader
 *          ◄─ collect · onEvent ────────             ─── onEvent ────────────────────►
 */
export interface WriterCarrier {
  /** Returns a page of exactly `byteLength` bytes, from the pool or new. */
  acquire(byteLength: number): Page;
  /** Bytes of all pages that the carrier has created and not dropped; for `shared`, also the bytes of the rings. */
  readonly byteLength: number;
  /**
   * Appends a sealed page to the batch that the next `flush` publishes. A reader of shared memory may take it earlier.
   */
  send(page: Page): void;
  /** Publishes the batch and wakes the reader. */
  flush(): void;
  attach(number: number, attachment: Attachment): void;
  /** Collects the pages that the reader has given back. @returns their total cost, in ordinary pages */
  collect(): number;
  /**
   * Requests `onEvent` at the next page that is given back. Collect once more after this call, because a page may have
   * been given back just before it.
   */
  requestEvent(): void;
  close(error: FencepostError | null): void;
  /** Called when the reader may have given pages back. */
  onEvent: () => void;
  /** Called when the browser could not read a message from the reader. The message is not sent again. */
  onLoss: () => void;
  /** Called when the other end has closed the stream. @param error `null` for a regular end */
  onClose: (error: FencepostError | null) => void;
}

export interface ReaderCarrier {
  /** Takes the next published page, or returns undefined if it has not arrived. */
  receive(): Page | undefined;
  giveBack(page: Page): void;
  /** Sends the pages that were given back so far. */
  flush(): void;
  /** Number of attachments that have arrived. They arrive in the order of their numbers. */
  readonly attachmentsArrived: number;
  takeAttachment(number: number): Attachment | undefined;
  /** Closes the stream. @param error sent to the writer; `null` for a regular end */
  close(error: FencepostError | null): void;
  /** Called when a page, a slab or an attachment has arrived. */
  onEvent: () => void;
  /**
   * Called when the browser could not read a message from the writer. A reader of shared memory then requests all
   * memory again. No other message is sent again. The transfer carrier closes the stream instead.
   */
  onLoss: () => void;
  onClose: (error: FencepostError | null) => void;
}

/** A MessagePort, as carriers use it. Tests replace it by a port with explicit delivery. */
export interface PortLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  /** Called for a message that the browser can't read. */
  onmessageerror?: ((event: MessageEvent) => void) | null;
  close(): void;
}

export const ignore = (): void => {};
