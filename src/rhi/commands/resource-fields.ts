/**
 * Fields of records that concern a resource: its descriptor, and an ArrayBuffer that travels beside the stream.
 * `core/records/record-fields.ts` decodes the fields themselves.
 */
import { RhiError } from '../../core/errors.js';
import { type AttachmentRecord, attachmentOf, jsonAt } from '../../core/records/record-fields.js';

/**
 * Returns the descriptor in the record of a create command. It follows the handle. A label that is not a string is
 * converted to a string, for messages.
 * @throws RhiError `bad-record`; TypeError when the descriptor is not an object
 */
export function descriptorAt<T extends { readonly label: string }>(words: Uint32Array, fields: number): T {
  const descriptor = jsonAt<{ -readonly [K in keyof T]: T[K] }>(words, fields, 1);
  descriptor.label = `${descriptor.label}`;
  return descriptor;
}

/**
 * Returns the ArrayBuffer that travels beside a record.
 * @param labelOf returns the label of the resource in the record's second field
 * @throws RhiError `bad-record`
 */
export function arrayBufferOf(reader: AttachmentRecord, labelOf: (handle: number) => string): ArrayBuffer {
  const attachment = attachmentOf(reader);
  if (attachment instanceof ArrayBuffer) return attachment;
  throw badAttachment(labelOf(reader.words[reader.fields + 1]), 'ArrayBuffer');
}

/** Returns the error for an attachment that is missing or of the wrong type. */
export function badAttachment(label: string, kind: 'ArrayBuffer' | 'ImageBitmap'): RhiError {
  return new RhiError(
    'bad-record',
    `The attachment of the command for "${label}" is not an ${kind}, or an earlier command has taken it. Send one ${kind} with each command.`,
  );
}
