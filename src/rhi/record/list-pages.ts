/**
 * The pages of command lists. A list is written with the writer of a stream. A stream's carrier sends the pages. The
 * carrier in this file appends them to the list instead, so nothing is sent before the list is complete. A context uses
 * one writer for all its lists, one after the other.
 *
 *   memory ─► page | records… |  page | records… |  ─► list.pages ─► executed ─► memory
 *
 * At any time, a page is in exactly one place: the memory, the list being recorded, or a list in flight (SYSTEMS L7).
 */

import { RhiError } from '../../core/errors.js';
import { ignore, type WriterCarrier } from '../../core/streams/carrier.js';
import { Page } from '../../core/streams/page.js';
import { PagePool } from '../../core/streams/page-pool.js';
import { PageWriter } from '../../core/streams/page-writer.js';
import type { Attachment } from '../../core/streams/stream.js';
import { rhiCommands } from '../commands/commands.js';
import type { CommandList } from './command-list.js';

/** The part of a list that receives records. */
type RecordedPages = Pick<CommandList, 'label' | 'pages' | 'attachments'>;

/** Memory into which lists are recorded. */
export interface ListMemory {
  /** Bytes of all pages. */
  readonly byteLength: number;
  /** Called when a list begins. */
  listBegun(): void;
  /** Returns a page of exactly `byteLength` bytes that no list uses. */
  take(byteLength: number): Page;
  /** Takes back a page of a list that has ended. */
  put(page: Page): void;
}

/** The memory of most contexts: a pool that creates pages when it is empty. */
export class ListPages implements ListMemory {
  readonly #pool = new PagePool();
  #listsBegun = 0;
  /** Number of pages created. In the steady state it does not grow. */
  made = 0;

  /** Number of unused pages in the pool. */
  get free(): number {
    return this.#pool.size;
  }

  get byteLength(): number {
    return this.#pool.byteLength;
  }

  listBegun(): void {
    this.#listsBegun++;
    while (this.#pool.trim(this.#listsBegun));
  }

  take(byteLength: number): Page {
    return this.#pool.take(byteLength) ?? this.#make(byteLength);
  }

  put(page: Page): void {
    this.#pool.put(page, this.#listsBegun);
  }

  #make(byteLength: number): Page {
    this.made++;
    this.#pool.byteLength += byteLength;
    return new Page(-1, new ArrayBuffer(byteLength), 0, byteLength);
  }
}

/**
 * Number of pages that no list reaches, so lists are unlimited. A limit would end every long list, because no reader
 * takes pages away while a list is recorded.
 */
const UNLIMITED = 2 ** 30;
const LIMITS = { softPages: UNLIMITED, hardPages: UNLIMITED, fatalPages: UNLIMITED };

/**
 * Writes the pages of lists. `begin` and `end` of a list allocate nothing. While no list is open, recording throws
 * `list-not-open`.
 */
export class ListWriter implements WriterCarrier {
  readonly writer: PageWriter;
  readonly #memory: ListMemory;
  /** Names a list in errors about its records. */
  readonly #table = { name: '', names: rhiCommands.names };
  #list: RecordedPages | null = null;
  /** Sum of `Page.cost` of the pages that were appended to lists since the last `collect`. */
  #sent = 0;
  readonly flush = ignore;
  readonly requestEvent = ignore;
  readonly close = ignore;
  onEvent = ignore;
  onLoss = ignore;
  onClose: WriterCarrier['onClose'] = ignore;

  constructor(memory: ListMemory) {
    this.#memory = memory;
    this.writer = new PageWriter(this, this.#table, LIMITS);
  }

  begin(list: RecordedPages): void {
    this.#list = list;
    this.#table.name = list.label;
    this.#memory.listBegun();
    this.writer.restartAttachments();
  }

  /** Appends the last page to the list. */
  end(): void {
    this.writer.publish();
    this.#list = null;
  }

  /** Returns a list's pages to the memory. Pages whose memory was transferred to another thread are dropped. */
  recycle({ pages }: RecordedPages): void {
    for (const page of pages) if (page.words.length > 0) this.#memory.put(page);
    pages.length = 0;
  }

  get byteLength(): number {
    return this.#memory.byteLength;
  }

  acquire(byteLength: number): Page {
    if (this.#list === null) throw noListOpen();
    return this.#memory.take(byteLength);
  }

  send(page: Page): void {
    this.#sent += page.cost;
    this.#list?.pages.push(page);
  }

  attach(_: number, attachment: Attachment): void {
    if (this.#list === null) throw noListOpen();
    this.#list.attachments.push(attachment);
  }

  collect(): number {
    const sent = this.#sent;
    this.#sent = 0;
    return sent;
  }
}

/** Returns the error for recording while no list is open. */
export function noListOpen(): RhiError {
  return new RhiError(
    'list-not-open',
    'A deferred context was used while it had no open list: before begin(list), or after finish(). Open a list with the immediate context’s openSubList, and begin it.',
  );
}
