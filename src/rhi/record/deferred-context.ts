/**
 * A deferred context records a command list on any thread. It has no GPU object, handle allocator or stream (SYSTEMS
 * H4). Its lists use handles of the immediate context, and only that context submits them.
 *
 *   immediate thread   openSubList ──┐                    ┌─► executeSubLists ─┐
 *   any thread                       └─► begin … finish ──┘                    └─► recycle
 */
import { RhiError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { BufferHandle, ResourceHandle } from '../commands/descriptors.js';
import { describeHandle, markOfOwner } from '../commands/handles.js';
import { refuseUnsupported } from '../commands/unsupported-commands.js';
import { argumentChecks } from './argument-checks.js';
import { CommandContext } from './command-context.js';
import { type CommandList, checkList, describeList } from './command-list.js';
import { ListPages, noListOpen } from './list-pages.js';

export class DeferredContext extends CommandContext {
  readonly #pages = new ListPages();
  #list: CommandList | null = null;
  /**
   * Finished lists that may still be in flight. `begin` takes back the pages of lists that have been executed or
   * discarded on this thread.
   */
  readonly #finished: CommandList[] = [];

  constructor() {
    super(closedWriter(), argumentChecks());
    refuseUnsupported(this);
  }

  /**
   * Numbers of pages of recording memory: `made` counts the pages created so far, and `free` the unused
   * pages. In the steady state no page is created (SYSTEMS L7).
   */
  get pageCounts(): { readonly made: number; readonly free: number } {
    return { made: this.#pages.made, free: this.#pages.free };
  }

  /**
   * Starts to record into a list.
   * @param list a list that `openSubList` of the immediate context has returned, or its posted copy
   * @throws RhiError `list-already-open` if this context still records another list, `list-begun-twice` if this list
   *   has been begun before
   */
  begin(list: CommandList): void {
    checkList('begin', list);
    if (this.#list !== null) {
      throw new RhiError(
        'list-already-open',
        `This context still records the ${describeList(this.#list)}; call finish() before it begins "${list.label}".`,
      );
    }
    if (list.state !== 'open') {
      throw new RhiError(
        'list-begun-twice',
        `The ${describeList(list)} is ${list.state} and can't be begun again. Open another one with openSubList.`,
      );
    }
    this.#reclaim();
    list.state = 'recording';
    this.#list = list;
    this.writer = this.#pages.write(list);
    this.beginInlineData();
    this.queue = list.queue;
    this.mark = markOfOwner(list.owner.id);
  }

  /**
   * Ends recording. Afterwards the list may be executed, or posted with `transferablesOf(list)`.
   * @throws RhiError `list-not-open`
   */
  finish(): CommandList {
    const list = this.#end();
    // The list may have been discarded while it was recorded. Then it stays discarded.
    if (list.state === 'recording') list.state = 'recorded';
    this.#finished.push(list);
    return list;
  }

  /**
   * Ends recording and drops the recorded commands, for example after an error.
   * @returns the list, which the caller passes to `discardSubList`
   * @throws RhiError `list-not-open`
   */
  abandon(): CommandList {
    const list = this.#end();
    list.state = 'discarded';
    this.#pages.recycle(list);
    return list;
  }

  /**
   * Takes the pages of an executed or discarded list into this context's pool. Call it for lists that were posted to
   * another thread. Pages of all other lists return automatically.
   * @throws RhiError `list-in-flight`
   */
  recycle(list: CommandList): void {
    checkList('recycle', list);
    if (list.state !== 'executed' && list.state !== 'discarded') {
      throw new RhiError(
        'list-in-flight',
        `The ${describeList(list)} is ${list.state}; its pages can be used again once it was executed or discarded.`,
      );
    }
    this.#pages.recycle(list);
  }

  /**
   * Requests that a resource is destroyed after this list (SYSTEMS L3). May be called as soon as the
   * resource's last use is recorded.
   */
  destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    this.checks?.checkCall(this, 'destroy', [handle]);
    this.#openList().destroys.push(handle);
  }

  /** Throws `out-of-range`, because only the immediate context knows a buffer's size. */
  override bytesFrom(buffer: BufferHandle): number {
    throw new RhiError(
      'out-of-range',
      `The ${describeHandle(buffer)} was set in a deferred list without a byteLength. Pass it, because only the immediate context knows the buffer’s size.`,
    );
  }

  override readBackRecorded(): void {
    this.#openList().readsBack = true;
  }

  #end(): CommandList {
    const list = this.#openList();
    list.lastQueue = this.queue;
    this.writer.close(noListOpen());
    this.#list = null;
    return list;
  }

  #openList(): CommandList {
    if (this.#list === null) throw noListOpen();
    return this.#list;
  }

  /** Recycles the pages of finished lists that have been executed or discarded. Called per list. */
  #reclaim(): void {
    const finished = this.#finished;
    let kept = 0;
    for (const list of finished) {
      if (list.state === 'executed' || list.state === 'discarded') this.#pages.recycle(list);
      else if (list.pages.some(({ words }) => words.length > 0)) finished[kept++] = list;
    }
    finished.length = kept;
  }
}

/** Returns the writer of a context without an open list. */
function closedWriter(): StreamWriter {
  const writer = new ListPages().write({ label: '', pages: [], attachments: [] });
  writer.close(noListOpen());
  return writer;
}
