/** What the asset worker and its helpers say to each other. A piece has a number, and ends with one `done` or `failed`, unless it was retracted. */
import type { ErrorData } from '../../core/errors.js';
import type { Decoders } from '../decoders/decoders.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';

/** Name of the asset worker's helpers, by which their script knows that it is one. */
export const DECODING_HELPER = 'fencepost decoding helper';

/** To a helper. */
export type DecodingRequest =
  | { readonly kind: 'begin'; readonly urls: DecoderUrls }
  | {
      readonly kind: 'decode';
      readonly id: number;
      readonly decoder: keyof Decoders;
      readonly method: string;
      readonly parameters: readonly unknown[];
    }
  /** Without effect on what has begun. */
  | { readonly kind: 'retract'; readonly id: number }
  | { readonly kind: 'ping' };

export type DecodingReply =
  /** Its script runs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: ErrorData }
  | { readonly kind: 'pong' };

/** Buffers in plain data, each once: to be listed when it is posted. */
export function buffersIn(data: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (data instanceof ArrayBuffer) found.add(data);
  else if (ArrayBuffer.isView(data)) found.add(data.buffer as ArrayBuffer);
  else if (data !== null && typeof data === 'object') {
    for (const value of Object.values(data)) buffersIn(value, found);
  }
  return found;
}
