/**
 * Reads the variable-length fields of a record from its words: a length in bytes, then the bytes. The bytes
 * are copied out first, because a page may lie in shared memory, which TextDecoder refuses.
 */
import { RhiError } from '../core/errors.js';

const decoder = /* @__PURE__ */ new TextDecoder();

/** Words that a `string`, `json` or `bytes` field at `index` takes. */
export const fieldWordsAt = (words: Uint32Array, index: number): number =>
  1 + (((words[index] ?? 0) + 3) >>> 2);

/** A view of the bytes, not a copy. */
export function bytesAt(words: Uint32Array, index: number): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset + (index + 1) * 4, words[index]);
}

export function stringAt(words: Uint32Array, index: number): string {
  return decoder.decode(bytesAt(words, index).slice());
}

/** @throws RhiError `bad-record` */
export function jsonAt<T>(words: Uint32Array, index: number): T {
  const text = stringAt(words, index);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new RhiError('bad-record', `A record's descriptor is not JSON: ${text.slice(0, 80)}`, { cause });
  }
}
