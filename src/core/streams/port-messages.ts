import { type ErrorData, errorFromData, errorToData, type FencepostError } from '../errors.js';
import type { PortLike } from './carrier.js';
import type { Attachment } from './stream.js';

/**
 * What travels on a stream's port. A bare `wake` is the coalesced wake-up of the shared carrier, in both
 * directions; the rest are small tuples whose first element tells what they are. Messages on a port keep their
 * order, and everything here relies on it.
 */
export enum PortMessageKind {
  wake = 0,
  control = 1,
  slab = 2,
  drop = 3,
  attachment = 4,
  pages = 5,
  close = 6,
}

export type PortMessage =
  | PortMessageKind.wake
  /** Writer → reader, first: the memory of the two rings, and whether the first is rung in memory rather than by `wake`. */
  | readonly [
      PortMessageKind.control,
      published: Int32Array<SharedArrayBuffer>,
      returned: Int32Array<SharedArrayBuffer>,
      isRung: boolean,
    ]
  /** Writer → reader: pages `firstPage …`, each `pageBytes` long, as many as the memory holds. */
  | readonly [PortMessageKind.slab, firstPage: number, pageBytes: number, memory: SharedArrayBuffer]
  /** Writer → reader: an oversize page will not be used again. */
  | readonly [PortMessageKind.drop, page: number]
  | readonly [PortMessageKind.attachment, attachment: Attachment]
  /** Transfer: published pages with their used words, or pages given back. */
  | readonly [PortMessageKind.pages, buffers: readonly ArrayBuffer[], usedWords: readonly number[]]
  | readonly [PortMessageKind.close, error: ErrorData | null];

/** Tells the other end that the stream is over, and lets go of the port. */
export function closePort(port: PortLike, error: FencepostError | null): void {
  port.postMessage([PortMessageKind.close, error && errorToData(error)]);
  port.onmessage = null;
  port.close();
}

export function closeReason(
  message: readonly [PortMessageKind.close, ErrorData | null],
): FencepostError | null {
  return message[1] && errorFromData(message[1]);
}
