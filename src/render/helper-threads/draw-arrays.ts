import { Page } from '../../core/streams/page.js';
import { PAGE_BYTES } from '../../core/streams/stream.js';
import { RANK_WORDS, RUN_WORDS } from '../draws/record-runs.js';

/**
 * Maximum number of runs that are recorded into one sub-list. A run takes at most 22 words, so a sub-list fits into a
 * page of 16,384 words.
 */
export const RUNS_PER_LIST = 512;

const PAGE_WORDS = PAGE_BYTES / 4;

/**
 * Arrays for the threads that share the recording of a pass (SYSTEMS H5), all in one shared memory.
 *   │ ranks: 13 words each │ runs: rank, first instance, count │ used words │ sub-lists of the render thread │ of helper 1 │ …
 *                                                                by thread and list         64 KiB each
 *
 * Ranks are written when they change, runs per frame.
 */
export class DrawArrays {
  readonly ranks: Uint32Array;
  readonly runs: Uint32Array;
  readonly #used: Uint32Array;
  readonly #pages: (Page | undefined)[] = [];
  readonly #buffer: SharedArrayBuffer;
  readonly #firstPage: number;

  constructor(
    buffer: SharedArrayBuffer,
    readonly rankCount: number,
    readonly runCount: number,
    readonly lists: number,
    threads: number,
  ) {
    const runsAt = rankCount * RANK_WORDS;
    const usedAt = runsAt + runCount * RUN_WORDS;
    this.#buffer = buffer;
    this.ranks = new Uint32Array(buffer, 0, runsAt);
    this.runs = new Uint32Array(buffer, runsAt * 4, runCount * RUN_WORDS);
    this.#used = new Uint32Array(buffer, usedAt * 4, this.lists * threads);
    this.#firstPage = (usedAt + this.lists * threads) * 4;
  }

  /**
   * Returns the size of the memory in bytes.
   * @param lists number of sub-lists of each thread
   * @param threads the render thread and its helpers
   */
  static bytes(ranks: number, runs: number, lists: number, threads: number): number {
    const pages = lists * threads;
    return (ranks * RANK_WORDS + runs * RUN_WORDS + pages + pages * PAGE_WORDS) * 4;
  }

  /** Returns the page of a sub-list. @param thread 0: the render thread */
  page(thread: number, list: number): Page {
    const index = thread * this.lists + list;
    this.#pages[index] ??= new Page(-1, this.#buffer, this.#firstPage + index * PAGE_BYTES, PAGE_BYTES);
    return this.#pages[index];
  }

  /** Publishes the number of used words of a page, because other threads have their own page objects. */
  setUsed(thread: number, list: number, words: number): void {
    this.#used[thread * this.lists + list] = words;
  }

  /** Returns the page with the number of used words that its thread has published. */
  recordedPage(thread: number, list: number): Page {
    const page = this.page(thread, list);
    page.usedWords = this.#used[thread * this.lists + list] as number;
    return page;
  }
}
