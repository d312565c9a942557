import { expose, type TransferHandler, transferHandlers, wrap } from 'comlink';
import { type ErrorData, errorFromData, errorToData } from '../../core/errors.js';
import type { ThreadApi } from './protocol.js';

/**
 * The control plane's two ends over comlink, which carries calls and answers. Two of its transfer handlers are ours: an
 * error arrives with its class and code, which comlink would lose, and an ArrayBuffer is handed over instead of copied.
 */
const thrownErrors = transferHandlers.get('throw') as TransferHandler<{ value: unknown }, unknown>;

const typedErrors: TransferHandler<{ value: unknown }, ErrorData> = {
  canHandle: (value): value is { value: unknown } => thrownErrors.canHandle(value),
  serialize: ({ value }) => [errorToData(value), []],
  deserialize: (data) => {
    throw errorFromData(data);
  },
};

const handedOverBuffers: TransferHandler<ArrayBuffer, ArrayBuffer> = {
  canHandle: (value): value is ArrayBuffer => value instanceof ArrayBuffer,
  serialize: (buffer) => [buffer, [buffer]],
  deserialize: (buffer) => buffer,
};

function installHandlers(): void {
  transferHandlers.set('throw', typedErrors);
  transferHandlers.set('buffer', handedOverBuffers);
}

/** A worker's end: answers what is asked through the port. */
export function exposeThread(api: ThreadApi, port: MessagePort): void {
  installHandlers();
  expose(api, port);
}

/** The main thread's end. Calls through a collected proxy never settle, so whoever calls holds it. */
export function wrapThread(port: MessagePort): ReturnType<typeof wrap<ThreadApi>> {
  installHandlers();
  return wrap<ThreadApi>(port);
}
