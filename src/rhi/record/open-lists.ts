/**
 * The deferred lists that an immediate context has opened in its frame, and the destroys that wait for them (SYSTEMS
 * H4, L3). The order of calls on the context's thread decides everything here, never the timing of other threads.
 *
 *   open A · open B · destroy x · execute A · destroy y · execute B ─► destroy x, destroy y ─ endFrame
 *                     └ held: A and B may name it                 └ both lists have ended: recorded, in order
 */
import { RhiError } from '../../core/errors.js';
import { type QueueHint, RhiOpcode } from '../commands/commands.js';
import type { ResourceHandle } from '../commands/descriptors.js';
import { refuse } from './call-checks.js';
import {
  type CommandList,
  type CommandListState,
  checkEnded,
  checkList,
  describeList,
  isEnded,
  type ListOwner,
  makeList,
  reopenList,
} from './command-list.js';
import type { ImmediateContext } from './immediate-context.js';
import { write1 } from './record-words.js';

const NO_LISTS: readonly CommandList[] = [];

export class OpenLists {
  readonly #owner: ListOwner;
  /**
   * Lists opened in this frame, in the state known to this thread. The element at `index` is the list with the id
   * `#firstId + index`. Null if that list has since been opened again under another id. Only the first `#count`
   * elements are in use.
   */
  readonly #lists: (CommandList | null)[] = [];
  #count = 0;
  #firstId = 0;
  /** All lists before this index have ended. */
  #oldest = 0;
  /** Per list, the number of the last `checkExecutable` call whose argument contained the list. */
  readonly #checkedBy: number[] = [];
  #checks = 0;
  /** Delayed destroys, oldest first: the handle, and the id of the newest list at the time of the destroy. */
  readonly #held: { readonly handle: number; readonly untilList: number }[] = [];

  constructor(owner: ListOwner) {
    this.#owner = owner;
  }

  /** @param frame the open frame; null between frames @throws RhiError `frame-not-begun` */
  open(label: string, frame: number | null, queue: QueueHint): CommandList {
    const id = this.#nextId;
    const list = makeList({ owner: this.#owner, id, label, frame: frameOf(label, frame), queue });
    this.#add(list);
    return list;
  }

  /** Opens a list again. Allocates nothing. @throws RhiError `frame-not-begun`, `list-unknown`, `list-in-flight` */
  reopen(list: CommandList, frame: number | null): void {
    this.checkOwner('reopenSubList', list);
    checkEnded(list, 'it can be opened again');
    const opened = frameOf(list.label, frame);
    if (this.#find(list.id) === list) this.#lists[list.id - this.#firstId] = null;
    reopenList(list, this.#nextId, opened);
    this.#add(list);
  }

  /**
   * Delays a destroy until all lists that are outstanding now have ended. Called per destroyed resource.
   * @returns false if no list is outstanding, so that the destroy need not wait
   */
  hold(handle: number): boolean {
    if (this.#oldestOutstanding === this.#nextId) return false;
    this.#held.push({ handle, untilList: this.#nextId - 1 });
    return true;
  }

  /**
   * Ends lists. Records the destroys that waited for these lists. Then calls `context.destroy` for each destroy that
   * the lists request. Allocates nothing.
   * @throws the first error of a destroy, once all destroys have been attempted
   */
  end(
    lists: readonly CommandList[],
    state: 'executed' | 'discarded',
    context: Pick<ImmediateContext, 'writer' | 'destroy'>,
  ): void {
    for (let index = 0; index < lists.length; index++) this.#end(lists[index], state);
    for (let handle = this.#released(); handle !== undefined; handle = this.#released())
      write1(context.writer, RhiOpcode.destroyResource, handle);
    let firstError: unknown = null;
    for (let index = 0; index < lists.length; index++) {
      const { destroys } = lists[index];
      for (let at = 0; at < destroys.length; at++) {
        try {
          context.destroy(destroys[at] as ResourceHandle);
        } catch (error) {
          firstError ??= error;
        }
      }
      destroys.length = 0;
    }
    if (firstError !== null) throw firstError;
  }

  /** Marks a list as ended. If it is a copy from another thread, the original list gets the same state. */
  #end(list: CommandList, state: 'executed' | 'discarded'): void {
    const known = this.#find(list.id);
    if (known !== null && !isEnded(known)) known.state = state;
    list.state = state;
    if (state === 'discarded')
      for (const attachment of list.attachments) if ('close' in attachment) attachment.close();
    list.attachments.length = 0;
  }

  /** Removes and returns the next handle whose destroy waits for no list any more; undefined if there is none. */
  #released(): number | undefined {
    if (this.#held.length === 0) return undefined;
    const [next] = this.#held;
    if (next.untilList >= this.#oldestOutstanding) return undefined;
    return this.#held.shift()?.handle;
  }

  /** Forgets all lists of the frame. @returns the lists that have not ended; the caller discards them */
  forget(): readonly CommandList[] {
    let late = NO_LISTS;
    for (let index = this.#oldest; index < this.#count; index++) {
      const list = this.#lists[index];
      if (list !== null && !isEnded(list)) late = [...late, list];
    }
    this.#lists.fill(null, 0, this.#count);
    this.#firstId = this.#nextId;
    this.#count = this.#oldest = 0;
    return late;
  }

  /** Checks that this context has opened the list. @throws RhiError `bad-argument`, `list-unknown` */
  checkOwner(call: string, list: CommandList): void {
    checkList(call, list);
    if (list.owner.id === this.#owner.id) return;
    throw new RhiError(
      'list-unknown',
      `The ${describeList(list)} was opened by the context "${list.owner.label}" and given to ${call} of the context "${this.#owner.label}". Its handles belong to "${list.owner.label}": execute it there, or open and record another list.`,
    );
  }

  /**
   * Checks that all lists can be executed. Allocates nothing.
   * @throws RhiError `bad-argument`, `list-unknown`, `list-executed`, `list-discarded`, `list-open`
   */
  checkExecutable(lists: readonly CommandList[]): void {
    if (!Array.isArray(lists))
      refuse('executeSubLists', 'the lists', lists, 'an array of lists, [list] for a single list');
    const check = ++this.#checks;
    for (let index = 0; index < lists.length; index++) {
      const list: CommandList = lists[index];
      this.checkOwner('executeSubLists', list);
      const known = this.#find(list.id);
      const before = this.#endedBefore(list, known, check);
      if (before !== null) {
        throw new RhiError(
          `list-${before}`,
          `The ${describeList(list)} was ${before} before${before === 'discarded' ? ', by discardSubList or by the end of its frame' : ''}. A deferred list executes once; record another list.`,
        );
      }
      if (known === null) {
        throw new RhiError(
          'list-unknown',
          `The ${describeList(list)} was not opened in the current frame of this context. Open, record and execute a list within one frame, with the same immediate context.`,
        );
      }
      if (list.state !== 'recorded') {
        throw new RhiError(
          'list-open',
          `The ${describeList(list)} is ${list.state}: call finish() on its deferred context, and execute the list that it returns.`,
        );
      }
      this.#checkedBy[list.id - this.#firstId] = check;
    }
  }

  /**
   * Returns the state of a list that has ended; null if the list has not ended. A list that is also an earlier element
   * of the same call counts as executed.
   */
  #endedBefore(list: CommandList, known: CommandList | null, check: number): CommandListState | null {
    if (isEnded(list)) return list.state;
    if (known === null) return null;
    if (isEnded(known)) return known.state;
    return this.#checkedBy[list.id - this.#firstId] === check ? 'executed' : null;
  }

  #add(list: CommandList): void {
    this.#checkedBy[this.#count] = 0;
    this.#lists[this.#count++] = list;
  }

  /** Returns the list that was opened with this id in this frame; null if there is none. */
  #find(id: number): CommandList | null {
    const index = id - this.#firstId;
    return index >= 0 && index < this.#count ? (this.#lists[index] ?? null) : null;
  }

  get #nextId(): number {
    return this.#firstId + this.#count;
  }

  /** Id of the oldest list that has not ended. If all have ended, the id of the next list to be opened. */
  get #oldestOutstanding(): number {
    while (this.#oldest < this.#count) {
      const list = this.#lists[this.#oldest] ?? null;
      if (list !== null && !isEnded(list)) break;
      this.#oldest++;
    }
    return this.#firstId + this.#oldest;
  }
}

/** Checks that a frame is open. @throws RhiError `frame-not-begun` */
function frameOf(label: string, frame: number | null): number {
  if (frame !== null) return frame;
  throw new RhiError(
    'frame-not-begun',
    `The deferred list "${label}" was opened outside a frame. A list is opened, recorded and executed within one frame: call beginFrame first.`,
  );
}
