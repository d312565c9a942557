/**
 * The messages between the asset worker and its helpers, which are tasks on workers of the engine's pool. Each job has
 * a number, and ends with one `done` or `failed`. A job that is retracted before it starts ends with an empty `done`.
 */
import type { ErrorData } from '../../core/errors.js';
import type { Decoders } from '../decoders/decoders.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';

/** Address of the task module for decoding, in the pool's workers (`serve-decoding.ts`). */
export const DECODING_MODULE = 'fencepost:decoding';

/** Messages to a helper. */
export type DecodingRequest =
  | { readonly kind: 'begin'; readonly urls: DecoderUrls }
  | {
      readonly kind: 'decode';
      readonly id: number;
      readonly decoder: keyof Decoders;
      readonly method: string;
      readonly parameters: readonly unknown[];
    }
  /** Drops a job, unless it has started. */
  | { readonly kind: 'retract'; readonly id: number }
  | { readonly kind: 'ping' }
  /** Ends the helper's task. */
  | { readonly kind: 'end' };

export type DecodingReply =
  /** Answers `begin`: the helper's task runs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: ErrorData }
  | { readonly kind: 'pong' };

/** Returns the buffers in plain data, each once, to transfer them. */
export function buffersIn(data: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (data instanceof ArrayBuffer) found.add(data);
  else if (ArrayBuffer.isView(data)) found.add(data.buffer as ArrayBuffer);
  else if (data !== null && typeof data === 'object') {
    for (const value of Object.values(data)) buffersIn(value, found);
  }
  return found;
}
