import { expose, type TransferHandler, transferHandlers, wrap } from 'comlink';
import { type ErrorData, errorFromData, errorToData } from '../../core/errors.js';
import type { ThreadApi } from './protocol.js';

/**
 * Both ends of the control calls over comlink, which carries calls and answers. This file adds two transfer handlers.
 * One keeps the class and code of errors, which comlink would lose. The other transfers ArrayBuffers and ports.
 */
const thrownErrors = transferHandlers.get('throw') as TransferHandler<{ value: unknown }, unknown>;

const typedErrors: TransferHandler<{ value: unknown }, ErrorData> = {
  canHandle: (value): value is { value: unknown } => thrownErrors.canHandle(value),
  serialize: ({ value }) => [errorToData(value), []],
  deserialize: (data) => {
    throw errorFromData(data);
  },
};

/** Transfers the ArrayBuffers and ports that a parameter or a returned value contains, at any depth. */
const movableContents: TransferHandler<unknown, unknown> = {
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
  transferHandlers.set('movable contents', movableContents);
}

/** Answers the calls that arrive at a worker through the port. */
export function exposeThread(api: ThreadApi, port: MessagePort): void {
  installHandlers();
  expose(api, port);
}

/**
 * Returns a proxy for calls to a worker. The caller must keep it: calls through a garbage-collected proxy never settle.
 */
export function wrapThread(port: MessagePort): ReturnType<typeof wrap<ThreadApi>> {
  installHandlers();
  return wrap<ThreadApi>(port);
}
