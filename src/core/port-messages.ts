import type { PortLike } from './carrier.js';
import { type ErrorData, errorFromData, errorToData, type FencepostError } from './errors.js';
import type { Attachment } from './stream.js';

/**
 * What travels on a stream's port. A bare `WAKE` is the coalesced wake-up of the shared carrier, in both
 * directions; the rest are small tuples whose first element tells what they are. Messages on a port keep their
 * order, and everything here relies on it.
 */
export const WAKE = 0;
export const MESSAGE_CONTROL = 1;
export const MESSAGE_SLAB = 2;
export const MESSAGE_DROP = 3;
export const MESSAGE_ATTACHMENT = 4;
export const MESSAGE_PAGES = 5;
export const MESSAGE_CLOSE = 6;

export type PortMessage =
  | typeof WAKE
  /** Writer → reader, first: the memory of the two rings. */
  | readonly [
      typeof MESSAGE_CONTROL,
      published: Int32Array<SharedArrayBuffer>,
      returned: Int32Array<SharedArrayBuffer>,
    ]
  /** Writer → reader: pages `firstPage …`, each `pageBytes` long, as many as the memory holds. */
  | readonly [typeof MESSAGE_SLAB, firstPage: number, pageBytes: number, memory: SharedArrayBuffer]
  /** Writer → reader: an oversize page will not be used again. */
  | readonly [typeof MESSAGE_DROP, page: number]
  | readonly [typeof MESSAGE_ATTACHMENT, attachment: Attachment]
  /** Transfer: published pages with their used words, or pages given back. */
  | readonly [typeof MESSAGE_PAGES, buffers: readonly ArrayBuffer[], usedWords: readonly number[]]
  | readonly [typeof MESSAGE_CLOSE, error: ErrorData | null];

/** Tells the other end that the stream is over, and lets go of the port. */
export function closePort(port: PortLike, error: FencepostError | null): void {
  port.postMessage([MESSAGE_CLOSE, error && errorToData(error)]);
  port.onmessage = null;
  port.close();
}

export function closeReason(
  message: readonly [typeof MESSAGE_CLOSE, ErrorData | null],
): FencepostError | null {
  return message[1] && errorFromData(message[1]);
}
