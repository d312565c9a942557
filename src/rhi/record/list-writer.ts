/**
 * Where a deferred context writes: pages of its own, from its own pool, gathered in a command list. To the methods
 * that record it looks like a page stream, but nothing is sent before the list is complete.
 *
 *   pool ─► page | records… |  page | records… |  ─► list.pages ─► executed ─► pool
 *
 * A page is in the pool, in the list being recorded, or in a list under way: never in two (SYSTEMS L7).
 */
import { RhiError, StreamError } from '../../core/errors.js';
import { Page, pageBytesFor } from '../../core/page.js';
import { PagePool } from '../../core/page-pool.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT, MAXIMUM_RECORD_WORDS } from '../../core/record-table.js';
import type { Attachment, StreamWriter } from '../../core/stream.js';
import { rhiCommands } from '../commands/commands.js';
import type { CommandList } from './command-list.js';

const noWords = new Uint32Array(0);
const noInts = new Int32Array(0);
const noFloats = new Float32Array(0);

export class ListWriter implements StreamWriter {
  words: Uint32Array<ArrayBufferLike> = noWords;
  ints: Int32Array<ArrayBufferLike> = noInts;
  floats: Float32Array<ArrayBufferLike> = noFloats;
  readonly #pool = new PagePool();
  #list: CommandList | null = null;
  #page: Page | null = null;
  #cursor = 0;
  #capacity = 0;
  #sealedBytes = 0;
  #listsWritten = 0;
  #pagesMade = 0;

  /** Pages ever made; constant in the steady state. */
  get pagesMade(): number {
    return this.#pagesMade;
  }

  get freePages(): number {
    return this.#pool.size;
  }

  begin(list: CommandList): void {
    this.#list = list;
  }

  /** Ends the list: its pages are its own now. */
  end(): void {
    this.#seal();
    this.#list = null;
    this.#listsWritten++;
    while (this.#pool.trim(this.#listsWritten));
  }

  /** Takes a list's pages into the pool. Those whose memory went to another thread are forgotten. */
  recycle(list: CommandList): void {
    for (const page of list.pages) if (page.words.length > 0) this.#pool.put(page, this.#listsWritten);
    list.pages.length = 0;
  }

  /** Per draw. */
  reserve(opcode: number, fieldWords: number): number {
    const at = this.#cursor;
    const words = fieldWords >>> 0;
    const end = at + words + 1;
    // As in a page stream, none but whole numbers.
    if (end > this.#capacity || words !== fieldWords) return this.#reserveInNewPage(opcode, fieldWords);
    this.#cursor = end;
    this.words[at] = opcode | ((end - at) << HEADER_LENGTH_SHIFT);
    return at + 1;
  }

  reserveWithAttachment(opcode: number, fieldWords: number): number {
    const fields = this.reserve(opcode, fieldWords);
    this.words[fields - 1] |= HEADER_ATTACHMENT_BIT;
    return fields;
  }

  attach(attachment: Attachment): number {
    return this.#openList().attachments.push(attachment) - 1;
  }

  get bytesWritten(): number {
    return this.#sealedBytes + this.#cursor * 4;
  }

  get pagesOutstanding(): number {
    return (this.#list?.pages.length ?? 0) + (this.#page === null ? 0 : 1);
  }

  get isWritable(): boolean {
    return this.#list !== null;
  }

  whenWritable(): Promise<void> {
    return Promise.resolve();
  }

  /** A list is handed over whole, by `finish`. */
  publish(): void {}

  close(): void {
    this.end();
  }

  #reserveInNewPage(opcode: number, fieldWords: number): number {
    const list = this.#openList();
    const recordWords = fieldWords + 1;
    if (recordWords % 1 || !(recordWords >= 1 && recordWords <= MAXIMUM_RECORD_WORDS)) {
      throw new StreamError(
        'record-too-large',
        `A record "${rhiCommands.names[opcode]}" of ${recordWords} words does not fit into the deferred list "${list.label}", whose longest record has ${MAXIMUM_RECORD_WORDS}. Send its data as an attachment.`,
      );
    }
    this.#seal();
    const byteLength = pageBytesFor(recordWords);
    const page = this.#pool.take(byteLength) ?? this.#makePage(byteLength);
    this.#page = page;
    this.words = page.words;
    this.ints = page.ints;
    this.floats = page.floats;
    this.#capacity = page.words.length;
    this.#cursor = recordWords;
    page.words[0] = opcode | (recordWords << HEADER_LENGTH_SHIFT);
    return 1;
  }

  #makePage(byteLength: number): Page {
    this.#pagesMade++;
    return new Page(-1, new ArrayBuffer(byteLength), 0, byteLength);
  }

  #seal(): void {
    const page = this.#page;
    if (page === null) return;
    page.usedWords = this.#cursor;
    this.#list?.pages.push(page);
    this.#sealedBytes += this.#cursor * 4;
    this.#page = null;
    this.#cursor = this.#capacity = 0;
  }

  #openList(): CommandList {
    if (this.#list !== null) return this.#list;
    throw new RhiError(
      'list-not-open',
      'A command was recorded in a deferred context while no list was open: before begin(list), or after finish(). Open a list with the immediate context’s openSubList, and begin it.',
    );
  }
}
