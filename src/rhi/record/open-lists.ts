/**
 * The deferred lists that an immediate context has opened in its frame, and the destroys that wait for them (SYSTEMS H4,
 * L3). The order of calls on the context's thread decides everything here, never the timing of other threads.
 *
 *   open A · open B · destroy x · execute A · destroy y · execute B ─► destroy x, destroy y ─ endFrame
 *                     └ held: A and B may name it                 └ both lists have ended: recorded, in order
 */
import { RhiError } from '../../core/errors.js';
import type { QueueHint } from '../commands/commands.js';
import { refuse } from './call-checks.js';
import { type CommandList, checkList, describeList, type ListOwner, makeList } from './command-list.js';

export class OpenLists {
  readonly #owner: ListOwner;
  /** Lists opened in this frame, by id, in the state known to this thread. */
  readonly #lists = new Map<number, CommandList>();
  #nextList = 0;
  /** Delayed destroys, oldest first: the handle, and the newest list that was open at the destroy. */
  readonly #held: { readonly handle: number; readonly untilList: number }[] = [];

  constructor(owner: ListOwner) {
    this.#owner = owner;
  }

  /** @param frame the open frame; null between frames @throws RhiError `frame-not-begun` */
  open(label: string, frame: number | null, queue: QueueHint): CommandList {
    if (frame === null) {
      throw new RhiError(
        'frame-not-begun',
        `The deferred list "${label}" was opened between frames. Lists start, close and execute within one frame: call beginFrame first.`,
      );
    }
    const list = makeList({ owner: this.#owner, id: this.#nextList++, label, frame, queue });
    this.#lists.set(list.id, list);
    return list;
  }

  /**
   * Delays a destroy until all lists that are outstanding now have ended. Called per destroyed resource.
   * @returns false if no list is outstanding, so that the destroy need not wait
   */
  hold(handle: number): boolean {
    if (this.#lists.size === 0 || this.#oldestOutstanding === Number.POSITIVE_INFINITY) return false;
    this.#held.push({ handle, untilList: this.#nextList - 1 });
    return true;
  }

  /**
   * Marks lists as ended. If a list is a copy from another thread, the original list gets the same state.
   * @returns the handles whose destroys have waited for these lists and for no other
   */
  end(lists: readonly CommandList[], state: 'executed' | 'discarded'): number[] {
    for (const list of lists) {
      const known = this.#lists.get(list.id);
      if (known !== undefined && isOutstanding(known)) known.state = state;
      list.state = state;
      for (const attachment of state === 'discarded' ? list.attachments : [])
        if ('close' in attachment) attachment.close();
      list.attachments.length = 0;
    }
    const oldest = this.#oldestOutstanding;
    const waiting = this.#held.findIndex(({ untilList }) => untilList >= oldest);
    const released = this.#held.splice(0, waiting < 0 ? this.#held.length : waiting);
    return released.map(({ handle }) => handle);
  }

  /** Forgets all lists of the frame. @returns the lists that have not ended; the caller discards them */
  forget(): CommandList[] {
    if (this.#lists.size === 0) return [];
    const late = [...this.#lists.values()].filter(isOutstanding);
    this.#lists.clear();
    return late;
  }

  /** Checks that this context has opened the list. @throws RhiError `bad-argument`, `list-unknown` */
  checkOwner(call: string, list: CommandList): void {
    checkList(call, list);
    if (list.owner.id === this.#owner.id) return;
    throw new RhiError(
      'list-unknown',
      `The ${describeList(list)} was opened by the context "${list.owner.label}" and given to ${call} of the context "${this.#owner.label}". Its handles are those of "${list.owner.label}": execute it there, or open and record another one.`,
    );
  }

  /** Checks that all lists can be executed. @throws the errors of `executeSubLists` for their states */
  checkExecutable(lists: readonly CommandList[]): void {
    if (!Array.isArray(lists))
      refuse('executeSubLists', 'the lists', lists, 'an array of them, [list] for one');
    const seen = new Set<number>();
    for (const list of lists) {
      this.checkOwner('executeSubLists', list);
      const known = this.#lists.get(list.id);
      const ended = [list, known].find((each) => each !== undefined && !isOutstanding(each))?.state;
      const before = ended ?? (seen.has(list.id) && 'executed');
      if (before) {
        throw new RhiError(
          `list-${before}`,
          `The ${describeList(list)} was ${before} before${before === 'discarded' ? ', by discardSubList or by the end of its frame' : ''}. A deferred list executes once; record another one.`,
        );
      }
      if (known === undefined) {
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
      seen.add(list.id);
    }
  }

  /** Id of the oldest list that has not ended; infinite if all have. */
  get #oldestOutstanding(): number {
    for (const list of this.#lists.values()) if (isOutstanding(list)) return list.id;
    return Number.POSITIVE_INFINITY;
  }
}

const isOutstanding = ({ state }: CommandList): boolean => state !== 'executed' && state !== 'discarded';
