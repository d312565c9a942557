/** What a record brings beside the stream. A record that is not whole costs itself, and the stream goes on. */
import { RhiError } from '../../core/errors.js';
import { HEADER_ATTACHMENT_BIT } from '../../core/record-table.js';
import type { Attachment, StreamReader } from '../../core/stream.js';

/** A record that may bring one; the current one of a reader is one. */
export type AttachmentRecord = Pick<StreamReader, 'words' | 'fields' | 'attachment'>;

/** Of the reader's current record; undefined where it is not there, or was taken before. */
export function attachmentOf(reader: AttachmentRecord): Attachment | undefined {
  try {
    return reader.attachment(reader.words[reader.fields]);
  } catch {
    return undefined;
  }
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

/** Frees what a record brings that is not executed, if it brings anything. */
export function closeAttachment(reader: AttachmentRecord): void {
  const { words, fields } = reader;
  if (((words[fields - 1] as number) & HEADER_ATTACHMENT_BIT) === 0) return;
  (attachmentOf(reader) as Partial<ImageBitmap> | undefined)?.close?.();
}
