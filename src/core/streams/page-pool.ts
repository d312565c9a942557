import type { Page } from './page.js';
import { PAGE_BYTES } from './stream.js';

/** Number of publishes after which an unused oversize page is dropped: about two seconds of frames. */
export const OVERSIZE_IDLE_PUBLISHES = 128;

/**
 * The free pages of a stream's writer. Ordinary pages are kept for ever. The ordinary page that was put last is taken
 * first, because it is still in the cache. Oversize pages have sizes in powers of two, and are dropped when they are
 * idle. Taking and putting allocate nothing once the stream has reached its usual size.
 */
export class PagePool {
  readonly #ordinary: Page[] = [];
  readonly #oversize: Page[] = [];

  /** Bytes of all pages of the stream that were not dropped: free pages and pages in flight. */
  byteLength = 0;

  /** Takes a free page of exactly `byteLength` bytes. @returns undefined if there is none */
  take(byteLength: number): Page | undefined {
    if (byteLength === PAGE_BYTES) return this.#ordinary.pop();
    for (let index = 0; index < this.#oversize.length; index++) {
      const page = this.#oversize[index];
      if (page.words.byteLength === byteLength) {
        // Don't use `splice`, which would allocate an array of the removed pages.
        this.#oversize.copyWithin(index, index + 1);
        this.#oversize.length--;
        return page;
      }
    }
    return undefined;
  }

  put(page: Page, publishCount: number): void {
    page.idleSince = publishCount;
    (page.cost === 1 ? this.#ordinary : this.#oversize).push(page);
  }

  /** Removes one oversize page that has been idle for too long. Call it until it returns undefined. */
  trim(publishCount: number): Page | undefined {
    const oldest = this.#oversize[0];
    if (oldest === undefined || publishCount - oldest.idleSince < OVERSIZE_IDLE_PUBLISHES) return undefined;
    this.byteLength -= oldest.words.byteLength;
    return this.#oversize.shift();
  }

  /** Number of free pages, including oversize pages. */
  get size(): number {
    return this.#ordinary.length + this.#oversize.length;
  }
}
