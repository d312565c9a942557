import { Page } from '../../core/streams/page.js';
import { PAGE_BYTES } from '../../core/streams/stream.js';
import type { DrawList } from '../draws/draw-list.js';
import type { DrawStateOrder } from '../draws/draw-state-order.js';
import type { MeshStores, PassPolicy } from '../draws/mesh-pass.js';

/** Runs that are recorded into one sub-list: at most 22 words each, so that a sub-list is one page of 16,384. */
export const RUNS_PER_LIST = 512;

/** What a draw of a rank needs. */
export enum RankWord {
  key = 0,
  pipeline = 1,
  /** The texture set; 0: none. */
  set = 2,
  bindGroup = 3,
  page = 4,
  /** Of vertices and indices, and its bytes. */
  buffer = 5,
  byteLength = 6,
  /** 0: it is drawn without indices. */
  indexCount = 7,
  vertexCount = 8,
  firstIndex = 9,
  baseVertex = 10,
}
export const RANK_WORDS = 11;

const WORDS_PER_RUN = 3;
const PAGE_WORDS = PAGE_BYTES / 4;

/**
 * What threads share that record the draws of a pass together (SYSTEMS H5): all in one memory.
 *
 *   │ ranks: 11 words each │ runs: rank, first instance, count │ used words │ sub-lists of the render thread │ of helper 1 │ …
 *                                                                by thread and list         64 KiB each
 *
 * Ranks are written when they change, runs per frame.
 */
export class DrawArrays {
  readonly ranks: Uint32Array;
  readonly runs: Uint32Array;
  readonly #used: Uint32Array;
  readonly #pages: (Page | undefined)[] = [];
  readonly #lists: number;
  readonly #buffer: SharedArrayBuffer;
  readonly #firstPage: number;

  constructor(
    buffer: SharedArrayBuffer,
    readonly rankCount: number,
    readonly runCount: number,
    threads: number,
  ) {
    const runsAt = rankCount * RANK_WORDS;
    const usedAt = runsAt + runCount * WORDS_PER_RUN;
    this.#buffer = buffer;
    this.#lists = runCount / RUNS_PER_LIST;
    this.ranks = new Uint32Array(buffer, 0, runsAt);
    this.runs = new Uint32Array(buffer, runsAt * 4, runCount * WORDS_PER_RUN);
    this.#used = new Uint32Array(buffer, usedAt * 4, this.#lists * threads);
    this.#firstPage = (usedAt + this.#lists * threads) * 4;
  }

  /** @param runs a multiple of `RUNS_PER_LIST` @param threads the render thread and its helpers */
  static bytes(ranks: number, runs: number, threads: number): number {
    const lists = (runs / RUNS_PER_LIST) * threads;
    return (ranks * RANK_WORDS + runs * WORDS_PER_RUN + lists + lists * PAGE_WORDS) * 4;
  }

  /** The page of a sub-list. @param thread 0: the render thread */
  page(thread: number, list: number): Page {
    const index = thread * this.#lists + list;
    this.#pages[index] ??= new Page(-1, this.#buffer, this.#firstPage + index * PAGE_BYTES, PAGE_BYTES);
    return this.#pages[index];
  }

  /** Says how much of a page is records: the other threads have page objects of their own. */
  setUsed(thread: number, list: number, words: number): void {
    this.#used[thread * this.#lists + list] = words;
  }

  /** The page with as many used words as its thread has said. */
  recordedPage(thread: number, list: number): Page {
    const page = this.page(thread, list);
    page.usedWords = this.#used[thread * this.#lists + list] as number;
    return page;
  }

  /** Per change of ranks, of a pass's pipelines, textures or geometries. */
  writeRanks(order: DrawStateOrder, policy: PassPolicy, { geometries, scene }: MeshStores): void {
    const { ranks } = this;
    const sets = scene.materials.textures?.sets;
    for (let rank = 0, at = 0; rank < order.count; rank++, at += RANK_WORDS) {
      const key = order.key[rank] as number;
      const set = order.textureSet[rank] as number;
      const geometry = order.geometry[rank] as number;
      const page = geometries.page[geometry] as number;
      ranks[at + RankWord.key] = key;
      ranks[at + RankWord.pipeline] = policy.pipeline(key);
      ranks[at + RankWord.set] = sets ? set : 0;
      ranks[at + RankWord.bindGroup] = sets && set > 0 ? sets.bindGroup(set) : 0;
      ranks[at + RankWord.page] = page;
      ranks[at + RankWord.buffer] = geometries.pageBuffer(page);
      ranks[at + RankWord.byteLength] = geometries.pageByteLength(page);
      ranks[at + RankWord.indexCount] = geometries.indexCount[geometry] as number;
      ranks[at + RankWord.vertexCount] = geometries.vertexCount[geometry] as number;
      ranks[at + RankWord.firstIndex] = geometries.firstIndex[geometry] as number;
      ranks[at + RankWord.baseVertex] = geometries.baseVertex[geometry] as number;
    }
  }

  /** Per frame. @param part of those that the policy tells apart @returns how many runs it has */
  writeRuns(list: DrawList, order: DrawStateOrder, policy: PassPolicy, part: number): number {
    const { runs } = this;
    const isSplit = (policy.parts ?? 1) > 1;
    let at = 0;
    for (let run = 0; run < list.runs; run++) {
      const rank = list.runRank[run] as number;
      if (isSplit && policy.partOf?.(order.key[rank] as number) !== part) continue;
      runs[at] = rank;
      runs[at + 1] = list.runFirst[run] as number;
      runs[at + 2] = list.runCount[run] as number;
      at += WORDS_PER_RUN;
    }
    return at / WORDS_PER_RUN;
  }
}
