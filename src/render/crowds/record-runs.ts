import { ignore, type WriterCarrier } from '../../core/carrier.js';
import { StateError } from '../../core/errors.js';
import type { Page } from '../../core/page.js';
import { PageWriter } from '../../core/page-writer.js';
import { rhiCommands } from '../../rhi/commands/commands.js';
import type {
  BindGroupHandle,
  BufferHandle,
  GraphicsPipelineHandle,
} from '../../rhi/commands/descriptors.js';
import { CommandContext } from '../../rhi/record/command-context.js';
import { DEFAULT_ATTRIBUTES } from '../vertex-layouts.js';
import { type DrawArrays, RANK_WORDS, RankWord, RUNS_PER_LIST } from './draw-arrays.js';

/** Pages: sub-lists are handed over whole, so no reader falls behind. */
const UNLIMITED = 2 ** 30;

/** Records into one page after the other that it is told of, as a deferred context does; made once, allocates nothing per list. */
class SubListContext extends CommandContext {
  #page: Page | null = null;
  /** Pages that were handed over since the writer has asked. */
  #finished = 0;

  constructor() {
    const carrier: WriterCarrier = {
      byteLength: 0,
      acquire: () => {
        const page = this.#page;
        if (!page)
          throw new StateError('list-not-open', 'A sub-list has more records than fit into its page.');
        this.#page = null;
        return page;
      },
      send: ignore,
      attach: ignore,
      collect: () => {
        const finished = this.#finished;
        this.#finished = 0;
        return finished;
      },
      flush: ignore,
      requestEvent: ignore,
      close: ignore,
      onEvent: ignore,
      onClose: ignore,
    };
    const limits = { softPages: UNLIMITED, hardPages: UNLIMITED, fatalPages: UNLIMITED };
    super(new PageWriter(carrier, { name: 'sub-lists', names: rhiCommands.names }, limits), null);
  }

  override bytesFrom(): number {
    return 0;
  }

  begin(page: Page): void {
    this.#page = page;
  }

  finish(): void {
    this.#page = null;
    this.writer.publish();
    this.#finished++;
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
    context.finish();
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
      rhi.setBindGroup(0, frameGroup as BindGroupHandle);
      rhi.setVertexBuffer(1, attributes as BufferHandle, 0, DEFAULT_ATTRIBUTES.byteLength);
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
        rhi.setGraphicsPipeline(ranks[rank + RankWord.pipeline] as number as GraphicsPipelineHandle);
      }
      if (set !== boundSet && set > 0) {
        rhi.setBindGroup(1, ranks[rank + RankWord.bindGroup] as number as BindGroupHandle);
      }
      if (page !== boundPage) {
        const buffer = ranks[rank + RankWord.buffer] as number as BufferHandle;
        const byteLength = ranks[rank + RankWord.byteLength] as number;
        rhi.setVertexBuffer(0, buffer, 0, byteLength);
        rhi.setIndexBuffer(buffer, 'uint32', 0, byteLength);
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
