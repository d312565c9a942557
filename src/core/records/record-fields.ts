/**
 * Fields of variable length and attachments of records, as executors read them. A field is a length in bytes, then the
 * bytes, padded with zeros to a whole word. For an incomplete record, the functions that read fields throw
 * `bad-record`. The executor skips the record, and the stream continues. Text is copied before it is decoded, because
 * the page may be in shared memory, which TextDecoder rejects.
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

/** Returns the number of words of a field with this many bytes, including the length word. */
const wordsFor = (byteLength: number): number => 1 + ((byteLength + 3) >>> 2);

/** Returns the number of words of the `string`, `json` or `bytes` field at `index`. */
export const fieldWordsAt = (words: Uint32Array, index: number): number => wordsFor(words[index] ?? 0);

/**
 * Returns a view of the field's bytes, not a copy. The view never exceeds the record.
 * @param fields index of the record's first field, after its header
 * @param field distance from the record's first field to this field, in words
 * @throws RhiError `bad-record` if the field's length exceeds the record
 */
export function bytesAt(words: Uint32Array, fields: number, field = 0): Uint8Array {
  const byteLength = words[fields + field];
  const wordsLeft = (words[fields - 1] >>> HEADER_LENGTH_SHIFT) - 2 - field;
  if (!(byteLength <= wordsLeft * 4)) throw badLength(byteLength);
  return new Uint8Array(words.buffer, words.byteOffset + (fields + field + 1) * 4, byteLength);
}

export function badLength(byteLength: number): RhiError {
  return new RhiError('bad-record', `A field has the length ${byteLength} bytes, which exceeds its record.`);
}

/** Returns the text of a field. @throws RhiError `bad-record` */
export function stringAt(words: Uint32Array, fields: number, field?: number): string {
  return decoder.decode(bytesAt(words, fields, field).slice());
}

/** Returns the value of a JSON field. @throws RhiError `bad-record` */
export function jsonAt<T>(words: Uint32Array, fields: number, field?: number): T {
  const text = stringAt(words, fields, field);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new RhiError('bad-record', `A record's descriptor is not JSON: ${text.slice(0, 80)}`, { cause });
  }
}

/** A record that may have an attachment, such as the current record of a reader. */
export type AttachmentRecord = Pick<StreamReader, 'words' | 'fields' | 'attachment'>;

/** Takes the attachment of the reader's current record. @returns undefined if it is missing, or was taken before */
export function attachmentOf(reader: AttachmentRecord): Attachment | undefined {
  try {
    return reader.attachment(reader.words[reader.fields]);
  } catch {
    return undefined;
  }
}

/** Closes the attachment of a record that is not executed, if it has one. */
export function closeAttachment(reader: AttachmentRecord): void {
  const { words, fields } = reader;
  if (((words[fields - 1] as number) & HEADER_ATTACHMENT_BIT) === 0) return;
  (attachmentOf(reader) as Partial<ImageBitmap> | undefined)?.close?.();
}
