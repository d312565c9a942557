/**
 * The reading end of a stream whose pages a fuzzer fills, as another thread might. It uses the real `PageReader`, so
 * headers are checked as usual. The words behind a page's used words are poison: each word is a four-byte character. A
 * text with this character was read from out of bounds.
 *
 *   slab   | record | record | cut off…|☠☠☠☠☠☠☠☠☠|☠☠☠☠☠☠☠☠☠|
 *          └──────────── used ─────────┴─ page's ─┴ another's ┘
 */
import type { ReaderCarrier } from '../../src/core/streams/carrier.js';
import { Page } from '../../src/core/streams/page.js';
import { PageReader } from '../../src/core/streams/page-reader.js';
import type { Attachment } from '../../src/core/streams/stream.js';
import type { StreamTable } from '../../src/core/streams/stream-overrun.js';

export const POISON_CHARACTER = '💀';
/** The character's UTF-8 bytes as a word. */
export const POISON_WORD = 0x80929ff0;

/** Words of poison in the page, and behind it in the slab. */
const POISON_WORDS = 24;

/** Thrown when a reader loops: it has read far more records than a case has. */
export class EndlessError extends Error {}

export class HostileReader extends PageReader {
  #left: number;
  /** Called before the reader moves to the next record. The previous record has been executed by then. */
  onNext: () => void = () => {};

  constructor(
    table: StreamTable,
    pages: readonly (readonly Uint32Array[])[],
    attachments: ReadonlyMap<number, Attachment>,
  ) {
    super(carry(pages, attachments), table);
    // Held records, bundles and waits repeat reads, but far fewer than a hundred times per record.
    this.#left = 10_000 + pages.reduce((sum, records) => sum + records.length, 0) * 100;
  }

  override next(): boolean {
    if (--this.#left < 0)
      throw new EndlessError('The reader loops: it reads far more records than the case has.');
    this.onNext();
    return super.next();
  }
}

function carry(
  pages: readonly (readonly Uint32Array[])[],
  attachments: ReadonlyMap<number, Attachment>,
): ReaderCarrier {
  const left = new Map(attachments);
  let nextPage = 0;
  return {
    receive: () => {
      const records = pages[nextPage++];
      return records && pageOf(records);
    },
    giveBack: () => {},
    flush: () => {},
    attachmentsArrived: Math.max(-1, ...attachments.keys()) + 1,
    takeAttachment: (number) => {
      const attachment = left.get(number);
      left.delete(number);
      return attachment;
    },
    close: () => {},
    onEvent: () => {},
    onLoss: () => {},
    onClose: () => {},
  };
}

function pageOf(records: readonly Uint32Array[]): Page {
  let used = 0;
  for (const record of records) used += record.length;
  const slab = new Uint32Array(used + 2 * POISON_WORDS).fill(POISON_WORD);
  let at = 0;
  for (const record of records) {
    slab.set(record, at);
    at += record.length;
  }
  const page = new Page(0, slab.buffer, 0, (used + POISON_WORDS) * 4);
  page.usedWords = used;
  return page;
}

/** Returns whether bytes came from behind a page. */
export function hasPoison(data: ArrayBufferView): boolean {
  const { buffer, byteOffset, byteLength } = data;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  for (let at = bytes.indexOf(0x80); at >= 0; at = bytes.indexOf(0x80, at + 1)) {
    if (at >= 3 && bytes[at - 1] === 0x92 && bytes[at - 2] === 0x9f && bytes[at - 3] === 0xf0) return true;
  }
  return false;
}
