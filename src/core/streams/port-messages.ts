import { type ErrorData, errorFromData, errorToData, type FencepostError, ThreadError } from '../errors.js';
import type { PortLike } from './carrier.js';
import type { Attachment } from './stream.js';

/**
 * Messages on a stream's port. Three are bare numbers. `wake` is a wake-up of the shared carrier, in either direction.
 * The shared carrier's reading end sends `hello` when it listens, and `lost` if it could not read a message. After
 * `lost`, the writer sends shared memory again. All other messages are small tuples whose first element is the kind.
 * The protocol relies on the port keeping messages in order.
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
  /**
   * Writer → reader, the first message about memory: the memory of both rings, and whether the writer wakes the reader
   * through memory instead of by `wake` messages.
   */
  | readonly [
      PortMessageKind.control,
      published: Int32Array<SharedArrayBuffer>,
      returned: Int32Array<SharedArrayBuffer>,
      isRung: boolean,
    ]
  /** Writer → reader: pages `firstPage …`, each `pageBytes` long, as many as the memory holds. */
  | readonly [PortMessageKind.slab, firstPage: number, pageBytes: number, memory: SharedArrayBuffer]
  /** Writer → reader: an oversize page was dropped. */
  | readonly [PortMessageKind.drop, page: number]
  | readonly [PortMessageKind.attachment, number: number, attachment: Attachment]
  /** Transfer carrier: published pages with their used words, or pages given back. */
  | readonly [PortMessageKind.pages, buffers: readonly ArrayBuffer[], usedWords: readonly number[]]
  | readonly [PortMessageKind.close, error: ErrorData | null];

/** Returns whether a message is a bare number. */
export function isBare(
  message: PortMessage,
): message is PortMessageKind.wake | PortMessageKind.hello | PortMessageKind.lost {
  return typeof message === 'number';
}

/**
 * Creates the error for a message that arrived as `messageerror`.
 * @param port description of the port
 * @param outcome sentence about the consequences
 */
export function messageLost(port: string, outcome: string): ThreadError {
  return new ThreadError(
    'message-lost',
    `The browser could not read a message on the port of ${port}. ${outcome}`,
    { details: { port } },
  );
}

/**
 * Creates the error for a message that an end of a stream could not read.
 * @param name name of the stream
 * @param isShared whether the stream's pages are in shared memory
 */
export function streamMessageLost(end: 'reader' | 'writer', name: string, isShared: boolean): ThreadError {
  const outcome = {
    writer: 'A wake-up or returned pages may be missing.',
    reader: isShared
      ? 'Shared memory was requested again. If an attachment does not arrive, the stream ends.'
      : 'If a page or an attachment does not arrive, the stream ends.',
  };
  return messageLost(`the stream "${name}"`, outcome[end]);
}

/** A port, a worker, or a worker's global scope. */
type LossyEnd = Pick<PortLike, 'onmessageerror'>;

/**
 * Reports messages that arrive as `messageerror` on a port that belongs to no stream.
 * @param name description of the port, for the error
 * @param outcome sentence about the consequences
 */
export function hearLosses(
  port: LossyEnd,
  name: string,
  report: (error: ThreadError) => void,
  outcome = 'Its content is lost. Repeat the request if its answer is missing.',
): void {
  port.onmessageerror = () => report(messageLost(name, outcome));
}

/**
 * Reports a lost message in a worker by throwing an error that no code catches. The page receives the error and ends
 * the worker, with all pending requests.
 */
export function endWorker(error: ThreadError): never {
  throw error;
}

/** Tells the other side that the stream is closed, and why, and closes the port. */
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
