/**
 * A deferred context records a command list on any thread. It has no GPU object, handle allocator or stream (SYSTEMS
 * H4). Its lists use handles of the immediate context, and only the immediate context submits the lists.
 *
 *   immediate thread   openSubList ──┐                    ┌─► executeSubLists ─┐
 *   any thread                       └─► begin … finish ──┘                    └─► recycle
 */
import { RhiError } from '../../core/errors.js';
import type { BufferHandle, ResourceHandle } from '../commands/descriptors.js';
import { describeHandle, markOfOwner } from '../commands/handles.js';
import type { ArgumentChecks } from './argument-checks.js';
import { CommandContext } from './command-context.js';
import { type CommandList, checkEnded, checkList, describeList, isEnded } from './command-list.js';
import { type ListMemory, ListPages, ListWriter, noListOpen } from './list-pages.js';

export class DeferredContext extends CommandContext {
  readonly #lists: ListWriter;
  #list: CommandList | null = null;
  /**
   * Finished lists that may still be in flight. `begin` takes back the pages of lists that have been executed or
   * discarded on this thread.
   */
  readonly #finished: CommandList[] = [];

  /**
   * @param memory receives the records. Default: a pool of this context
   * @param checks checks of each call. Default: none
   */
  constructor(memory: ListMemory = new ListPages(), checks: ArgumentChecks | null = null) {
    const lists = new ListWriter(memory);
    super(lists.writer, checks);
    this.#lists = lists;
  }

  /**
   * Starts to record into a list. Allocates nothing.
   * @param list a list that `openSubList` or `reopenSubList` of the immediate context has opened, or its posted copy
   * @throws RhiError `list-already-open` if this context still records another list, `list-begun-twice` if this list
   *   has been begun before, `bad-argument`
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
    // A list that was opened again brings the pages of its last recording.
    this.#lists.recycle(list);
    list.state = 'recording';
    this.#list = list;
    this.#lists.begin(list);
    this.beginInlineData();
    this.queue = list.queue;
    this.mark = markOfOwner(list.owner.id);
  }

  /**
   * Ends recording. The list may then be executed, or posted with `transferablesOf(list)`.
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
    this.#lists.recycle(list);
    return list;
  }

  /**
   * Takes the pages of an executed or discarded list into this context's pool. Call it for lists that were posted to
   * another thread. The pages of lists that stayed on this thread return automatically.
   * @throws RhiError `list-in-flight`, `bad-argument`
   */
  recycle(list: CommandList): void {
    checkList('recycle', list);
    checkEnded(list, 'its pages can be used again');
    this.#lists.recycle(list);
  }

  /**
   * Requests that a resource is destroyed after this list (SYSTEMS L3). May be called as soon as the
   * resource's last use is recorded.
   * @throws RhiError `list-not-open`
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
      `The ${describeHandle(buffer)} was set in a deferred list without a byteLength. Pass the byteLength, because only the immediate context knows the buffer’s size.`,
    );
  }

  override readBackRecorded(): void {
    this.#openList().readsBack = true;
  }

  #end(): CommandList {
    const list = this.#openList();
    list.lastQueue = this.queue;
    this.#lists.end();
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
    for (let index = 0; index < finished.length; index++) {
      const list = finished[index];
      // The pages of lists that were opened again belong to the context that records those lists.
      if (isEnded(list)) this.#lists.recycle(list);
      else if (list.state === 'recorded' && hasMemory(list)) finished[kept++] = list;
    }
    finished.length = kept;
  }
}

/** Returns false for a list without pages, and for a list whose pages were transferred to another thread. */
function hasMemory({ pages }: CommandList): boolean {
  for (let index = 0; index < pages.length; index++) if (pages[index].words.length > 0) return true;
  return false;
}
