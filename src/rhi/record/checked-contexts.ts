/**
 * The immediate context of `fencepost/rhi`. It checks the arguments of each call (`argument-checks.ts`), and opens
 * and executes deferred lists. It delays a destroy until no open list can still use the resource, and ends all
 * lists with their frame (SYSTEMS H4, L3). The result depends on the order of calls on its thread, never on the
 * timing of other threads.
 *
 *   open A · open B · destroy x · execute A · destroy y · execute B ─► destroy x, destroy y ─ endFrame
 *                     └ held: A and B may name it                 └ both lists have ended: executed, in order
 */
import { RhiError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, func, member, optional, text } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { checkFramesInFlight, checkOptions, checkWriter } from '../commands/class-arguments.js';
import { QueueHint } from '../commands/commands.js';
import type { ResourceHandle, RhiCapabilities } from '../commands/descriptors.js';
import { markOfOwner } from '../commands/handles.js';
import { refuseUnsupported } from '../commands/unsupported-commands.js';
import { argumentChecks } from './argument-checks.js';
import { checkIs, refuse } from './call-checks.js';
import {
  appendList,
  type CommandList,
  checkList,
  describeList,
  type ListOwner,
  listsLeftBehind,
  makeList,
  makeListOwner,
} from './command-list.js';
import { type FrameListener, ImmediateContext } from './immediate-context.js';

const queueHint = member<QueueHint>(
  (value) => Object.values<unknown>(QueueHint).includes(value),
  'one of QueueHint',
);

const SUB_LIST_OPTIONS = {
  /** The queue of the list's first command. Default: graphics. */
  queue: byDefault(queueHint, QueueHint.graphics),
};

export type SubListOptions = Shaped<typeof SUB_LIST_OPTIONS>;

const CONTEXT_OPTIONS = {
  /**
   * Number of frames that the GPU may be behind, 1 to 8. It decides when a handle's slot is reused.
   * `checkFramesInFlight` checks the number.
   */
  maxFramesInFlight: anything<number>(),
  /** Name of the context in errors about its deferred lists. Default: `context 1`, and so on. */
  label: optional(text()),
  /**
   * Capabilities of the device. With capabilities, a `create…` call beyond the limits throws `limit-exceeded`.
   * Without them, the executor reports the fault later.
   */
  capabilities: optional(
    member<Pick<RhiCapabilities, 'limits'> & Partial<Pick<RhiCapabilities, 'surfaceFormat'>>>(
      (value) => isObject(value) && isObject(value.limits),
      'the capabilities of an RHI, rhi.capabilities',
    ),
  ),
};

export type CheckedContextOptions = Shaped<typeof CONTEXT_OPTIONS>;

export class CheckedImmediateContext extends ImmediateContext {
  readonly #owner: ListOwner;
  /** Lists opened in this frame, by id, in the state known to this thread. */
  readonly #lists = new Map<number, CommandList>();
  #nextList = 0;
  /** Delayed destroys, oldest first: the handle, and the newest list that was open at the destroy. */
  readonly #held: { readonly handle: number; readonly untilList: number }[] = [];
  /** Called with the number of a frame that is still open at the next `beginFrame`, before that call throws. */
  onFrameLeftOpen: ((frame: number) => void) | null = null;

  /** @throws OptionError `option-invalid`, `option-unknown`; RhiError `bad-frames-in-flight` */
  constructor(writer: StreamWriter, options: CheckedContextOptions) {
    checkWriter('the context', writer);
    checkOptions('new ImmediateContext', options, CONTEXT_OPTIONS);
    const { maxFramesInFlight, capabilities, label } = options;
    checkFramesInFlight(maxFramesInFlight);
    const { surfaceFormat } = capabilities ?? {};
    const owner = makeListOwner(label);
    const mark = markOfOwner(owner.id);
    const checks = argumentChecks(capabilities);
    super(writer, { maxFramesInFlight, surfaceFormat, mark, checks });
    this.#owner = owner;
    refuseUnsupported(this);
  }

  override beginFrame(frame: number, flags?: number): void {
    if (this.isInFrame) this.onFrameLeftOpen?.(this.lastBegunFrame);
    super.beginFrame(frame, flags);
  }

  override onFrameFinished(listener: FrameListener): () => void {
    checkIs('onFrameFinished', 'the listener', listener, func());
    return super.onFrameFinished(listener);
  }

  override onSubmission(check: () => void): () => void {
    checkIs('onSubmission', 'the check', check, func());
    return super.onSubmission(check);
  }

  /**
   * Opens a list for a deferred context. A list is plain data, so it can be posted to another thread. Until the
   * list is executed or discarded, `destroy` does not affect resources that it may use (SYSTEMS L3).
   * @throws RhiError `frame-not-begun` outside a frame, `bad-argument`; OptionError `option-unknown`
   */
  openSubList(label: string, options: SubListOptions = {}): CommandList {
    checkIs('openSubList', 'label', label, text());
    const { queue } = fillOptions('openSubList', options, SUB_LIST_OPTIONS);
    if (!this.isInFrame) {
      throw new RhiError(
        'frame-not-begun',
        `The deferred list "${label}" was opened between frames. Lists start, close and execute within one frame: call beginFrame first.`,
      );
    }
    const list = makeList({
      owner: this.#owner,
      id: this.#nextList++,
      label,
      frame: this.lastBegunFrame,
      queue,
    });
    this.#lists.set(list.id, list);
    return list;
  }

  /**
   * Records the lists' commands in the order of the array, and then the destroys that the lists request. The
   * states of all lists are checked before the first list is recorded.
   * @throws RhiError `list-open`, `list-executed`, `list-discarded`, `list-unknown`, `list-corrupt`, `bad-argument`;
   *   `stale-handle` for a destroy
   */
  executeSubLists(lists: readonly CommandList[]): void {
    this.#checkExecutable(lists);
    const queue = this.queue;
    for (const list of lists) {
      if (list.queue !== this.queue) this.setQueue(list.queue);
      appendList(this.writer, list);
      if (list.readsBack) this.readBackRecorded();
      this.queue = list.lastQueue;
    }
    if (this.queue !== queue) this.setQueue(queue);
    this.#end(lists, 'executed');
  }

  /**
   * Drops a list that has not been executed, so that it no longer delays destroys. The destroys that the list
   * requests are recorded.
   * @throws RhiError `list-executed`, `list-unknown` for a list of another context
   */
  discardSubList(list: CommandList): void {
    this.#checkOwner('discardSubList', list);
    if (list.state === 'executed') this.#checkExecutable([list]);
    this.#end([list], 'discarded');
  }

  /**
   * Drops every list that is neither executed nor discarded.
   * @returns an error that names the dropped lists; null if there are none
   */
  override discardSubLists(): RhiError | null {
    if (this.#lists.size === 0) return null;
    const late = [...this.#lists.values()].filter(isOutstanding);
    this.#lists.clear();
    const error = late.length === 0 ? null : listsLeftBehind(late);
    this.#end(late, 'discarded');
    return error;
  }

  /** Checks that this context has opened the list. @throws RhiError `bad-argument`, `list-unknown` */
  #checkOwner(call: string, list: CommandList): void {
    checkList(call, list);
    if (list.owner.id === this.#owner.id) return;
    throw new RhiError(
      'list-unknown',
      `The ${describeList(list)} was opened by the context "${list.owner.label}" and given to ${call} of the context "${this.#owner.label}". Its handles are those of "${list.owner.label}": execute it there, or open and record another one.`,
    );
  }

  /** Checks that all lists can be executed. @throws the errors of `executeSubLists` for their states */
  #checkExecutable(lists: readonly CommandList[]): void {
    if (!Array.isArray(lists))
      refuse('executeSubLists', 'the lists', lists, 'an array of them, [list] for one');
    const seen = new Set<number>();
    for (const list of lists) {
      this.#checkOwner('executeSubLists', list);
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

  /**
   * Ends lists: records the destroys that waited for them, then the destroys that they request. If a list is a copy
   * from another thread, the original list gets the same state.
   */
  #end(lists: readonly CommandList[], state: 'executed' | 'discarded'): void {
    for (const list of lists) {
      const known = this.#lists.get(list.id);
      if (known !== undefined && isOutstanding(known)) known.state = state;
      list.state = state;
      for (const attachment of state === 'discarded' ? list.attachments : [])
        if ('close' in attachment) attachment.close();
      list.attachments.length = 0;
    }
    const oldest = this.#oldestOutstanding;
    while ((this.#held[0]?.untilList ?? oldest) < oldest)
      super.recordDestroy(this.#held.shift()?.handle ?? 0);
    let firstError: unknown = null;
    for (const handle of lists.flatMap(({ destroys }) => destroys.splice(0))) {
      try {
        this.destroy(handle as ResourceHandle);
      } catch (error) {
        firstError ??= error;
      }
    }
    if (firstError !== null) throw firstError;
  }

  /** Id of the oldest list that has not ended; infinite if all have. Called per destroyed resource. */
  get #oldestOutstanding(): number {
    for (const list of this.#lists.values()) if (isOutstanding(list)) return list.id;
    return Number.POSITIVE_INFINITY;
  }

  protected override recordDestroy(handle: number): void {
    if (this.#oldestOutstanding === Number.POSITIVE_INFINITY) super.recordDestroy(handle);
    else this.#held.push({ handle, untilList: this.#nextList - 1 });
  }
}

const isOutstanding = ({ state }: CommandList): boolean => state !== 'executed' && state !== 'discarded';
