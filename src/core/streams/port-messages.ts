import { type ErrorData, errorFromData, errorToData, type FencepostError, ThreadError } from '../errors.js';
import type { PortLike } from './carrier.js';
import type { Attachment } from './stream.js';

/**
 * Messages on a stream's port. A bare `wake` is the coalesced wake-up of the shared carrier, in both directions. A bare
 * `hello` says that the reading end listens, a bare `lost` that it could not read a message: memory is sent again then. The
 * rest are small tuples whose first element tells what they are. Messages on a port keep their
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
  hello = 7,
  lost = 8,
}

export type PortMessage =
  | PortMessageKind.wake
  | PortMessageKind.hello
  | PortMessageKind.lost
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
  | readonly [PortMessageKind.attachment, number: number, attachment: Attachment]
  /** Transfer: published pages with their used words, or pages given back. */
  | readonly [PortMessageKind.pages, buffers: readonly ArrayBuffer[], usedWords: readonly number[]]
  | readonly [PortMessageKind.close, error: ErrorData | null];

/** Whether a message is one of the bare numbers. */
export function isBare(
  message: PortMessage,
): message is PortMessageKind.wake | PortMessageKind.hello | PortMessageKind.lost {
  return typeof message === 'number';
}

/**
 * The error for a message that came as `messageerror`.
 * @param port what the message came on
 * @param outcome a sentence: what becomes of it
 */
export function messageLost(port: string, outcome: string): ThreadError {
  return new ThreadError(
    'message-lost',
    `The browser could not read a message on the port of ${port}. ${outcome}`,
    { details: { port } },
  );
}

/** An end of a port, of a worker, or a worker's global scope. */
type LossyEnd = Pick<PortLike, 'onmessageerror'>;

/**
 * Reports messages that arrive as `messageerror` on a port that is no stream's.
 * @param name of the port, as in the error
 * @param outcome as in `messageLost`
 */
export function hearLosses(
  port: LossyEnd,
  name: string,
  report: (error: ThreadError) => void,
  outcome = 'What it said is lost. Who waits for it can ask again.',
): void {
  port.onmessageerror = () => report(messageLost(name, outcome));
}

/** Reports a loss in a worker by an uncaught error: the page hears of it, and ends the worker with all that it awaits of it. */
export function endWorker(error: ThreadError): never {
  throw error;
}

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
