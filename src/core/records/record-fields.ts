/**
 * What records hold beside words, as executors read it: fields of variable length (a length in bytes, then the bytes,
 * padded with zeros to a whole word), and what a record brings beside the stream. A record that is not whole costs
 * itself, and the stream goes on. Text is copied out before it is decoded, because a page may lie in shared memory, which
 * TextDecoder refuses.
 *
 *   | header | attachment? | words… | length | bytes… 0 | length | bytes… 0 0 |   ► stringAt, jsonAt
 */
import { RhiError } from '../errors.js';
import type { Attachment, StreamReader } from '../streams/stream.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from './record-table.js';

const encoder = /* @__PURE__ */ new TextEncoder();

const decoder = /* @__PURE__ */ new TextDecoder();

export const encodeText = (text: string): Uint8Array => encoder.encode(text);
export const encodeJson = (value: unknown): Uint8Array => encodeText(JSON.stringify(value));

/** Words of a field with this many bytes, its length included. */
const wordsFor = (byteLength: number): number => 1 + ((byteLength + 3) >>> 2);

/** Words that a `string`, `json` or `bytes` field at `index` takes. */
export const fieldWordsAt = (words: Uint32Array, index: number): number => wordsFor(words[index] ?? 0);

/**
 * A view of the bytes, not a copy. It never leaves the record, whatever the field says.
 * @param fields index of the record's first field, behind its header
 * @param field words from there to this field
 * @throws RhiError `bad-record`
 */
export function bytesAt(words: Uint32Array, fields: number, field = 0): Uint8Array {
  const byteLength = words[fields + field];
  const wordsLeft = (words[fields - 1] >>> HEADER_LENGTH_SHIFT) - 2 - field;
  if (!(byteLength <= wordsLeft * 4)) throw badLength(byteLength);
  return new Uint8Array(words.buffer, words.byteOffset + (fields + field + 1) * 4, byteLength);
}

export function badLength(byteLength: number): RhiError {
  return new RhiError('bad-record', `A field says it has ${byteLength} bytes, which its record does not.`);
}

/** @throws RhiError `bad-record` */
export function stringAt(words: Uint32Array, fields: number, field?: number): string {
  return decoder.decode(bytesAt(words, fields, field).slice());
}

/** @throws RhiError `bad-record` */
export function jsonAt<T>(words: Uint32Array, fields: number, field?: number): T {
  const text = stringAt(words, fields, field);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new RhiError('bad-record', `A record's descriptor is not JSON: ${text.slice(0, 80)}`, { cause });
  }
}

/** A record that may bring an attachment; the current one of a reader is one. */
export type AttachmentRecord = Pick<StreamReader, 'words' | 'fields' | 'attachment'>;

/** Of the reader's current record; undefined where it is not there, or was taken before. */
export function attachmentOf(reader: AttachmentRecord): Attachment | undefined {
  try {
    return reader.attachment(reader.words[reader.fields]);
  } catch {
    return undefined;
  }
}

/** Frees what a record brings that is not executed, if it brings anything. */
export function closeAttachment(reader: AttachmentRecord): void {
  const { words, fields } = reader;
  if (((words[fields - 1] as number) & HEADER_ATTACHMENT_BIT) === 0) return;
  (attachmentOf(reader) as Partial<ImageBitmap> | undefined)?.close?.();
}
