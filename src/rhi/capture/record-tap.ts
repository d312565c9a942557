/**
 * Watches the records that an executor reads, on any reader and from any time on, without a change to reader or
 * executor: the reader's own `next` is covered while the tap is in, and nothing of it remains afterwards.
 *
 *   executor ── next ──► tap ──► reader        when the tap hears of a record, the ones before it have been executed,
 *                         └─► listener         and this one not yet
 *
 * Where the executor takes runs of draws straight from the page, they are heard of afterwards, in order all the same.
 */
import { RhiError } from '../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { type Attachment, isPageCursor, type StreamReader } from '../../core/stream.js';

/** Where a record lies: `fields` is the index in `words` of its first field. */
export type TappedRecord = Pick<StreamReader, 'words' | 'opcode' | 'fields' | 'fieldWords'>;

export interface RecordListener {
  onRecord(record: TappedRecord): void;
  /** The executor takes an attachment of the current record. */
  onAttachment(number: number, attachment: Attachment): void;
}

/**
 * @returns takes the tap out; taps come out in any order
 * @throws RhiError `capture-reader`
 */
export function tapReader(reader: StreamReader, listener: RecordListener): () => void {
  const { next, attachment } = reader;
  const pages = isPageCursor(reader) ? reader : null;
  const turnPage = pages?.turnPage;
  let isIn = true;
  /** A reader's `next` may call itself. */
  let isInNext = false;
  /** Up to here the listener has heard. */
  let heard = pages?.cursor ?? 0;

  const catchUp = (): void => {
    if (pages === null) return;
    const { words, cursor } = pages;
    while (isIn && heard < cursor) {
      const opcode = words[heard] & 0xff;
      const fieldWords = (words[heard] >>> HEADER_LENGTH_SHIFT) - 1;
      listener.onRecord({ words, opcode, fields: heard + 1, fieldWords });
      heard += 1 + fieldWords;
    }
  };
  const ownNext = (): boolean => {
    if (isInNext) return next.call(reader);
    catchUp();
    isInNext = true;
    let hasRecord = false;
    try {
      hasRecord = next.call(reader);
    } finally {
      isInNext = false;
      heard = pages?.cursor ?? 0;
    }
    if (hasRecord && isIn) listener.onRecord(reader);
    return hasRecord;
  };
  reader.next = ownNext;
  if (reader.next !== ownNext) {
    delete (reader as Partial<StreamReader>).next;
    throw new RhiError(
      'capture-reader',
      'The reader can\'t be watched, because its "next" can\'t be replaced. Give the executor a reader that is no Proxy.',
    );
  }
  reader.attachment = (number) => {
    const taken = attachment.call(reader, number);
    if (isIn) listener.onAttachment(number, taken);
    return taken;
  };
  if (pages !== null && turnPage !== undefined) {
    pages.turnPage = () => {
      catchUp();
      const hasTurned = turnPage.call(pages);
      heard = pages.cursor;
      return hasTurned;
    };
  }
  return () => {
    isIn = false;
    // Another tap may lie over this one; then it goes on passing through.
    if (reader.next !== ownNext) return;
    reader.next = next;
    reader.attachment = attachment;
    if (pages !== null && turnPage !== undefined) pages.turnPage = turnPage;
  };
}
