import { ignore } from '../../core/streams/carrier.js';
import type { Page } from '../../core/streams/page.js';
import { PAGE_BYTES } from '../../core/streams/stream.js';
import { QueueHint } from '../../rhi/commands/commands.js';
import { type CommandList, makeList, makeListOwner, reopenList } from '../../rhi/record/command-list.js';
import { DeferredContext } from '../../rhi/record/deferred-context.js';
import type { ListMemory } from '../../rhi/record/list-pages.js';
import { type PassBindings, type RunCommands, recordRuns } from '../draws/record-runs.js';
import type { DrawArrays } from './draw-arrays.js';

/** Memory of a deferred context: one page of `DrawArrays` for each sub-list. A sub-list fits into its page. */
class SubListMemory implements ListMemory {
  readonly byteLength = PAGE_BYTES;
  readonly listBegun = ignore;
  readonly put = ignore;
  /** Page of the current sub-list. */
  page: Page | undefined;

  take(): Page {
    return this.page as Page;
  }
}

/**
 * Records one sub-list of a pass (SYSTEMS H5) with a deferred context: the draws of at most `RUNS_PER_LIST` runs. The
 * draws follow those of the previous sub-list, whose state is still set. All sub-lists together have the records that
 * `MeshPass` records on one thread. The recorder is created once per thread and allocates nothing per sub-list.
 *
 *   runs       0 … 511        512 … 1023      1024 …
 *   sub-lists  bindings, │    │ state where it differs from run 511 …
 */
export class SubListRecorder {
  readonly #memory = new SubListMemory();
  readonly #context = new DeferredContext(this.#memory);
  readonly #thread: number;
  /** The list of a helper, which has no immediate context to open lists. */
  readonly #list: CommandList = makeList({
    owner: makeListOwner(),
    id: 0,
    label: 'sub-list',
    frame: 0,
    queue: QueueHint.graphics,
  });

  /** @param thread 0: the render thread; helpers are numbered from 1 */
  constructor(thread: number) {
    this.#thread = thread;
  }

  /**
   * Records sub-list `index`, and publishes its length for the render thread.
   * @param list an open list. Default: a list of the helper's own
   */
  record(
    arrays: DrawArrays,
    index: number,
    runCount: number,
    runsPerList: number,
    bindings: PassBindings,
    list = this.#openList(),
  ): void {
    const context = this.#context;
    const page = arrays.page(this.#thread, index);
    this.#memory.page = page;
    context.begin(list);
    const first = index * runsPerList;
    const end = Math.min(first + runsPerList, runCount);
    recordRuns(context as RunCommands, arrays.ranks, arrays.runs, first, end, bindings);
    context.finish();
    arrays.setUsed(this.#thread, index, page.usedWords);
  }

  #openList(): CommandList {
    reopenList(this.#list, 0, 0);
    return this.#list;
  }
}
