import { expose, type TransferHandler, transferHandlers, wrap } from 'comlink';
import { type ErrorData, errorFromData, errorToData } from '../../core/errors.js';
import type { ThreadApi } from './protocol.js';

/**
 * The control plane's two ends over comlink, which carries calls and answers. Two of its transfer handlers are ours: an
 * error arrives with its class and code, which comlink would lose, and ArrayBuffers and ports are handed over.
 */
const thrownErrors = transferHandlers.get('throw') as TransferHandler<{ value: unknown }, unknown>;

const typedErrors: TransferHandler<{ value: unknown }, ErrorData> = {
  canHandle: (value): value is { value: unknown } => thrownErrors.canHandle(value),
  serialize: ({ value }) => [errorToData(value), []],
  deserialize: (data) => {
    throw errorFromData(data);
  },
};

/** A parameter or a value with ArrayBuffers or ports in it, wherever they are. */
const handedOver: TransferHandler<unknown, unknown> = {
  canHandle: (value): value is unknown => findMovable(value).length > 0,
  serialize: (value) => [value, findMovable(value)],
  deserialize: (value) => value,
};

function findMovable(value: unknown): Transferable[] {
  if (value instanceof ArrayBuffer || value instanceof MessagePort) return [value];
  const hasFields = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
  return hasFields ? Object.values(value).flatMap(findMovable) : [];
}

function installHandlers(): void {
  transferHandlers.set('throw', typedErrors);
  transferHandlers.set('handed over', handedOver);
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
