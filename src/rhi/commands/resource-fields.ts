/**
 * Fields of records that concern a resource: its descriptor, and an ArrayBuffer that travels beside the stream. The fields themselves
 * are decoded by `core/records/record-fields.ts`.
 */
import { RhiError } from '../../core/errors.js';
import { type AttachmentRecord, attachmentOf, jsonAt } from '../../core/records/record-fields.js';

/**
 * The descriptor of a creation, which lies behind the handle. Its label is text, so that every message can have it.
 * @throws RhiError `bad-record`; TypeError when the descriptor is no object
 */
export function descriptorAt<T extends { readonly label: string }>(words: Uint32Array, fields: number): T {
  const descriptor = jsonAt<{ -readonly [K in keyof T]: T[K] }>(words, fields, 1);
  descriptor.label = `${descriptor.label}`;
  return descriptor;
}

/** @param labelOf the resource that the record's second field names @throws RhiError `bad-record` */
export function arrayBufferOf(reader: AttachmentRecord, labelOf: (handle: number) => string): ArrayBuffer {
  const attachment = attachmentOf(reader);
  if (attachment instanceof ArrayBuffer) return attachment;
  throw badAttachment(labelOf(reader.words[reader.fields + 1]), 'ArrayBuffer');
}

/** For one that is missing, or of another kind than its command takes. */
export function badAttachment(label: string, kind: 'ArrayBuffer' | 'ImageBitmap'): RhiError {
  return new RhiError(
    'bad-record',
    `What was sent for "${label}" is no ${kind}, or was taken before. Send one with each command.`,
  );
}
