/**
 * The pages of command lists. A list is written with the writer of a stream, but its carrier, the part that sends
 * pages, appends them to the list. So nothing is sent before the list is complete. The pages come from a pool of
 * this class.
 *
 *   pool ─► page | records… |  page | records… |  ─► list.pages ─► executed ─► pool
 *
 * A page is in the pool, in the list being recorded, or in a list in flight, and never in two of them (SYSTEMS L7).
 */

import { RhiError } from '../../core/errors.js';
import { ignore, type WriterCarrier } from '../../core/streams/carrier.js';
import { Page } from '../../core/streams/page.js';
import { PagePool } from '../../core/streams/page-pool.js';
import { PageWriter } from '../../core/streams/page-writer.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { rhiCommands } from '../commands/commands.js';
import type { CommandList } from './command-list.js';

/** The part of a list that receives records. */
type RecordedPages = Pick<CommandList, 'label' | 'pages' | 'attachments'>;

/** Number of pages that no list reaches. A list has no limit, because no reader takes pages while it is recorded. */
const UNLIMITED = 2 ** 30;

export class ListPages {
  readonly #pool = new PagePool();
  #listsWritten = 0;
  /** Number of pages created. In the steady state it does not grow. */
  made = 0;

  /** Number of unused pages in the pool. */
  get free(): number {
    return this.#pool.size;
  }

  /** Returns a writer that appends full pages to the list. `close` of the writer appends the last page. */
  write({ label, pages, attachments }: RecordedPages): StreamWriter {
    this.#listsWritten++;
    while (this.#pool.trim(this.#listsWritten));
    const pool = this.#pool;
    const carrier: WriterCarrier = {
      get byteLength() {
        return pool.byteLength;
      },
      acquire: (byteLength) => pool.take(byteLength) ?? this.#make(byteLength),
      send: (page) => pages.push(page),
      attach: (_, attachment) => attachments.push(attachment),
      collect: () => 0,
      flush: ignore,
      requestEvent: ignore,
      close: ignore,
      onEvent: ignore,
      onLoss: () => {},
      onClose: ignore,
    };
    const limits = { softPages: UNLIMITED, hardPages: UNLIMITED, fatalPages: UNLIMITED };
    return new PageWriter(carrier, { name: label, names: rhiCommands.names }, limits);
  }

  /** Takes a list's pages into the pool. Pages whose memory was transferred to another thread are dropped. */
  recycle({ pages }: RecordedPages): void {
    for (const page of pages) if (page.words.length > 0) this.#pool.put(page, this.#listsWritten);
    pages.length = 0;
  }

  #make(byteLength: number): Page {
    this.made++;
    this.#pool.byteLength += byteLength;
    return new Page(-1, new ArrayBuffer(byteLength), 0, byteLength);
  }
}

/** Returns the error for recording while no list is open. */
export function noListOpen(): RhiError {
  return new RhiError(
    'list-not-open',
    'Something was recorded, or a list ended, in a deferred context while no list was open: before begin(list), or after finish(). Open a list with the immediate context’s openSubList, and begin it.',
  );
}
