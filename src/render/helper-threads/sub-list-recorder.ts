import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import type { Page } from '../../core/streams/page.js';
import { RhiOpcode } from '../../rhi/commands/commands.js';
import { DEFAULT_ATTRIBUTES } from '../geometry/vertex-layouts.js';
import { type DrawArrays, RANK_WORDS, RankWord, RUNS_PER_LIST } from './draw-arrays.js';

/**
 * Records into one page after the other, in the words of `CommandContext`. It has the six commands that passes consist of: helpers
 * load nothing of the others. Made once; allocates nothing per list.
 */
class SubListContext {
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;

  begin({ words }: Page): void {
    this.#words = words;
    this.#at = 0;
  }

  finish(page: Page): void {
    page.usedWords = this.#at;
  }

  setGraphicsPipeline(pipeline: number): void {
    this.#write(RhiOpcode.setGraphicsPipeline, 1, pipeline);
  }

  /** Without dynamic offsets. */
  setBindGroup(groupIndex: number, bindGroup: number): void {
    this.#write(RhiOpcode.setBindGroup, 3, groupIndex, bindGroup);
  }

  /** From the buffer's begin. */
  setVertexBuffer(slot: number, buffer: number, byteLength: number): void {
    this.#write(RhiOpcode.setVertexBuffer, 4, slot, buffer, 0, byteLength);
  }

  /** Of 32 bits each, from the buffer's begin. */
  setIndexBuffer(buffer: number, byteLength: number): void {
    this.#write(RhiOpcode.setIndexBuffer, 4, buffer, 1, 0, byteLength);
  }

  draw(vertexCount: number, instanceCount: number, firstVertex: number, firstInstance: number): void {
    this.#write(RhiOpcode.draw, 4, vertexCount, instanceCount, firstVertex, firstInstance);
  }

  drawIndexed(
    indexCount: number,
    instanceCount: number,
    firstIndex: number,
    baseVertex: number,
    firstInstance: number,
  ): void {
    this.#write(RhiOpcode.drawIndexed, 5, indexCount, instanceCount, firstIndex, baseVertex, firstInstance);
  }

  /** Words behind the record's end are overwritten by the next one. */
  #write(opcode: number, fieldWords: number, a: number, b = 0, c = 0, d = 0, e = 0): void {
    const words = this.#words;
    const at = this.#at;
    words[at] = opcode | ((fieldWords + 1) << HEADER_LENGTH_SHIFT);
    words[at + 1] = a;
    words[at + 2] = b;
    words[at + 3] = c;
    words[at + 4] = d;
    words[at + 5] = e;
    this.#at = at + fieldWords + 1;
  }
}

/** What all draws of a pass have in common. */
export interface PassBindings {
  /** Bind group 0. */
  frameGroup: number;
  /** Attributes that vertices lack. */
  attributes: number;
}

/**
 * One thread's part in recording a pass (SYSTEMS H5): the draws of `RUNS_PER_LIST` runs, behind those of the list before, whose state
 * is still set. The records are those of `MeshPass` where it records alone.
 *
 *   runs       0 … 511        512 … 1023      1024 …
 *   sub-lists  bindings, │    │ state where it differs from run 511 …
 */
export class RunRecorder {
  readonly #context = new SubListContext();
  readonly #thread: number;

  /** @param thread 0: the render thread; helpers are numbered from 1 */
  constructor(thread: number) {
    this.#thread = thread;
  }

  record(arrays: DrawArrays, list: number, runCount: number, bindings: PassBindings): void {
    const context = this.#context;
    const page = arrays.page(this.#thread, list);
    context.begin(page);
    const first = list * RUNS_PER_LIST;
    this.#recordRuns(arrays, first, Math.min(first + RUNS_PER_LIST, runCount), bindings);
    context.finish(page);
    arrays.setUsed(this.#thread, list, page.usedWords);
  }

  /** Per run, state is set only where it differs from the run before. */
  #recordRuns(
    { ranks, runs }: DrawArrays,
    first: number,
    end: number,
    { frameGroup, attributes }: PassBindings,
  ): void {
    const rhi = this.#context;
    let boundKey = -1;
    let boundSet = -1;
    let boundPage = -1;
    if (first === 0) {
      rhi.setBindGroup(0, frameGroup);
      rhi.setVertexBuffer(1, attributes, DEFAULT_ATTRIBUTES.byteLength);
    } else {
      const before = (runs[(first - 1) * 3] as number) * RANK_WORDS;
      boundKey = ranks[before + RankWord.key] as number;
      boundSet = ranks[before + RankWord.set] as number;
      boundPage = ranks[before + RankWord.page] as number;
    }
    for (let run = first * 3; run < end * 3; run += 3) {
      const rank = (runs[run] as number) * RANK_WORDS;
      const firstInstance = runs[run + 1] as number;
      const count = runs[run + 2] as number;
      const key = ranks[rank + RankWord.key] as number;
      const set = ranks[rank + RankWord.set] as number;
      const page = ranks[rank + RankWord.page] as number;
      if (key !== boundKey) {
        rhi.setGraphicsPipeline(ranks[rank + RankWord.pipeline] as number);
      }
      if (set !== boundSet && set > 0) {
        rhi.setBindGroup(1, ranks[rank + RankWord.bindGroup] as number);
      }
      if (page !== boundPage) {
        const buffer = ranks[rank + RankWord.buffer] as number;
        const byteLength = ranks[rank + RankWord.byteLength] as number;
        rhi.setVertexBuffer(0, buffer, byteLength);
        rhi.setIndexBuffer(buffer, byteLength);
      }
      boundKey = key;
      boundSet = set;
      boundPage = page;
      const indexCount = ranks[rank + RankWord.indexCount] as number;
      const baseVertex = ranks[rank + RankWord.baseVertex] as number;
      if (indexCount > 0) {
        const firstIndex = ranks[rank + RankWord.firstIndex] as number;
        rhi.drawIndexed(indexCount, count, firstIndex, baseVertex, firstInstance);
      } else rhi.draw(ranks[rank + RankWord.vertexCount] as number, count, baseVertex, firstInstance);
    }
  }
}
