/** Writes records by hand: records of a few words, and `string` fields. Also declares the sender of such records. */
import { StateError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { DecodedImage } from '../../proxy/images/decode-image.js';

/** Decodes the file of a texture on another thread. `layer` selects one image of an array or a cube. */
export type DecodeTexture = (
  file: Blob,
  name: string,
  use: { readonly srgb: boolean; readonly layer?: number | undefined },
) => Promise<DecodedImage>;

/** Receives a world's records and errors. `resend` replaces `writer`, so callers must not keep it. */
export interface Outlet {
  readonly writer: StreamWriter;
  readonly reportError: (error: unknown) => void;
  /** Called after a change that the next update sends. */
  readonly onChange: () => void;
  /** Decodes files that browsers can't decode; undefined if there is no such decoder. */
  readonly decodeTexture?: DecodeTexture | undefined;
}

/**
 * Returns whether `attach` has refused an object and the stream continues. Any other error of `attach` ends the
 * stream.
 */
export function isRefused(error: unknown): boolean {
  return error instanceof StateError && error.code === 'attachment-refused';
}

/** Per change: writes a record of `count` words, at most four; allocates nothing. */
export function writeWords(
  writer: StreamWriter,
  opcode: number,
  count: number,
  a = 0,
  b = 0,
  c = 0,
  d = 0,
): void {
  const at = writer.reserve(opcode, count);
  const { words } = writer;
  words[at] = a;
  if (count > 1) words[at + 1] = b;
  if (count > 2) words[at + 2] = c;
  if (count > 3) words[at + 3] = d;
}

/**
 * Encodes a `string` field as UTF-8. In a record its length in bytes comes first, and zeros pad it to a whole
 * word.
 */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Writes the result of `encodeText` at `words[at]`; it takes 1 + ⌈length / 4⌉ words. */
export function writeText(words: Uint32Array, at: number, bytes: Uint8Array): void {
  words[at] = bytes.length;
  const count = (bytes.length + 3) >> 2;
  words.fill(0, at + 1, at + 1 + count);
  new Uint8Array(words.buffer, words.byteOffset + (at + 1) * 4, count * 4).set(bytes);
}
