import type { Page } from './page.js';
import { PAGE_BYTES } from './stream.js';

/** Publishes after which an oversize page that nobody needed is dropped. About two seconds of frames. */
export const OVERSIZE_IDLE_PUBLISHES = 128;

/**
 * The free pages of a stream's writer. Ordinary pages are kept for ever and re-used last in, first out, because
 * the last one is still in the cache; oversize pages come in powers of two and are dropped when they lie idle.
 * Taking and putting allocate nothing once the stream has reached its usual size.
 */
export class PagePool {
  readonly #ordinary: Page[] = [];
  readonly #oversize: Page[] = [];

  /** Of all pages made for the stream and not dropped: these here, and those under way. */
  byteLength = 0;

  /** Takes a free page of exactly `byteLength` bytes. */
  take(byteLength: number): Page | undefined {
    if (byteLength === PAGE_BYTES) return this.#ordinary.pop();
    for (let index = 0; index < this.#oversize.length; index++) {
      const page = this.#oversize[index];
      if (page.words.byteLength === byteLength) {
        // Not by splice, which would allocate what it takes out.
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

  /** Removes one oversize page that has been idle for too long; call until it answers undefined. */
  trim(publishCount: number): Page | undefined {
    const oldest = this.#oversize[0];
    if (oldest === undefined || publishCount - oldest.idleSince < OVERSIZE_IDLE_PUBLISHES) return undefined;
    this.byteLength -= oldest.words.byteLength;
    return this.#oversize.shift();
  }

  /** Free pages, oversize ones included. */
  get size(): number {
    return this.#ordinary.length + this.#oversize.length;
  }
}
