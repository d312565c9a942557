/**
 * What the immediate context knows of its deferred lists: which are open, in which order they may still need what is
 * being destroyed, and that none outlives its frame (SYSTEMS H4, L3). All follows from the order of calls on the
 * immediate context's thread, never from when another thread gets something done.
 *
 *   open A · open B · destroy x · execute A · destroy y · execute B ─► destroy x, destroy y
 *                     └ held: A and B may name it                 └ both are done: carried out, in order
 */
import { RhiError } from '../../core/errors.js';
import { QueueHint } from '../commands/commands.js';
import { refuse } from './call-checks.js';
import {
  type CommandList,
  type CommandListState,
  checkList,
  describeList,
  type ListOwner,
  makeList,
} from './command-list.js';

const NONE: readonly CommandList[] = [];

export class SubLists {
  readonly #owner: ListOwner;
  /** Those opened in this frame, by id, as this thread knows them. */
  readonly #lists = new Map<number, CommandList>();
  /** Destroys that wait, oldest first: the handle, and the newest list that was open when it was asked for. */
  readonly #held: { readonly handle: number; readonly untilList: number }[] = [];
  #nextId = 0;
  #outstanding = 0;

  constructor(owner: ListOwner) {
    this.#owner = owner;
  }

  get areOutstanding(): boolean {
    return this.#outstanding > 0;
  }

  open(label: string, frame: number, queue: QueueHint = QueueHint.graphics): CommandList {
    const list = makeList({ owner: this.#owner, id: this.#nextId++, label, frame, queue });
    this.#lists.set(list.id, list);
    this.#outstanding++;
    return list;
  }

  /** @throws RhiError `bad-argument`, `list-unknown` */
  checkOwner(call: string, list: CommandList): void {
    checkList(call, list);
    if (list.owner.id === this.#owner.id) return;
    throw new RhiError(
      'list-unknown',
      `The ${describeList(list)} was opened by the context "${list.owner.label}" and given to ${call} of the context "${this.#owner.label}". Its handles are those of "${list.owner.label}": execute it there, or open and record another one.`,
    );
  }

  /** @throws RhiError as `executeSubLists` says */
  checkExecutable(lists: readonly CommandList[]): void {
    if (!Array.isArray(lists))
      refuse('executeSubLists', 'the lists', lists, 'an array of them, [list] for one');
    const seen = new Set<number>();
    for (const list of lists) {
      this.checkOwner('executeSubLists', list);
      const known = this.#lists.get(list.id);
      const before = endedState(list.state) ?? endedState(known?.state) ?? (seen.has(list.id) && 'executed');
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
          `The ${describeList(list)} is ${list.state}: call finish() on its deferred context, and execute what that returns.`,
        );
      }
      seen.add(list.id);
    }
  }

  /**
   * The list is done. `list` may be a copy that came from another thread; both are in this state then.
   * @returns the destroys that it asked for
   */
  end(list: CommandList, state: 'executed' | 'discarded'): number[] {
    const known = this.#lists.get(list.id);
    if (known !== undefined && endedState(known.state) === undefined) {
      known.state = state;
      this.#outstanding--;
    }
    list.state = state;
    if (state === 'discarded') {
      for (const attachment of list.attachments) if ('close' in attachment) attachment.close();
    }
    list.attachments.length = 0;
    return list.destroys.splice(0);
  }

  /** Keeps a destroy until every list that is open now is done. */
  hold(handle: number): void {
    this.#held.push({ handle, untilList: this.#nextId - 1 });
  }

  /** The next destroy whose lists are all done, in the order they were asked for. */
  takeReleased(): number | undefined {
    const first = this.#held[0];
    if (first === undefined || first.untilList >= this.#oldestOutstanding()) return undefined;
    this.#held.shift();
    return first.handle;
  }

  /**
   * Discards what the frame leaves behind.
   * @returns those lists
   */
  takeLate(): readonly CommandList[] {
    if (this.#lists.size === 0) return NONE;
    const late = [...this.#lists.values()].filter(({ state }) => endedState(state) === undefined);
    this.#lists.clear();
    this.#outstanding = 0;
    return late;
  }

  #oldestOutstanding(): number {
    for (const { id, state } of this.#lists.values()) {
      if (endedState(state) === undefined) return id;
    }
    return Number.POSITIVE_INFINITY;
  }
}

function endedState(state: CommandListState | undefined): 'executed' | 'discarded' | undefined {
  return state === 'executed' || state === 'discarded' ? state : undefined;
}

/** @param wereOpen whether one of them was not finished, as far as this thread knows */
export function listsLeftBehind(late: readonly CommandList[], wereOpen: boolean): RhiError {
  const names = late.map(describeList).join(' and the ');
  return wereOpen
    ? new RhiError(
        'list-left-open',
        `The frame ended while the ${names} was still open or had not come back. Finish and execute deferred lists before endFrame, or call discardSubList; its commands are lost.`,
      )
    : new RhiError(
        'list-not-executed',
        `The frame ended before the ${names} was executed. Call executeSubLists or discardSubList before endFrame; its commands are lost.`,
      );
}
