/**
 * The contexts of `fencepost/rhi`: each call is looked at first (`argument-checks.ts`), and the immediate context opens
 * and executes deferred lists.
 *
 *   beginFrame N ─ openSubList ─ … ─ executeSubLists ─ … ─ endFrame N ─► lists left behind: an error
 *                       │                  ▲
 *                       └─ other threads ──┘ records, in the given order
 */
import { RhiError } from '../../core/errors.js';
import { checkOptionNames } from '../../core/option-names.js';
import type { StreamWriter } from '../../core/stream.js';
import { QueueHint } from '../commands/commands.js';
import type { ResourceHandle, RhiCapabilities } from '../commands/descriptors.js';
import { markOfOwner } from '../commands/handles.js';
import { refuseUnsupported } from '../commands/unsupported-commands.js';
import { argumentChecks } from './argument-checks.js';
import { checkBoundedWord, checkFunction, checkText } from './call-checks.js';
import { checkWriter } from './class-arguments.js';
import { appendList, type CommandList, makeListOwner } from './command-list.js';
import { DeferredContext } from './deferred-context.js';
import { type FrameListener, ImmediateContext, type ImmediateContextOptions } from './immediate-context.js';
import { checkFramesInFlight } from './rhi-options.js';
import { listsLeftBehind, SubLists } from './sub-lists.js';

export interface SubListOptions {
  /** The queue of its first command. Default: graphics. */
  readonly queue?: QueueHint;
}

export interface CheckedContextOptions extends Pick<ImmediateContextOptions, 'maxFramesInFlight'> {
  /** Names it in messages about its deferred lists. Default: `context 1`, and so on. */
  readonly label?: string | undefined;
  /** With it, a `create…` beyond the device's limits throws `limit-exceeded`; without, execution finds it. */
  readonly capabilities?: Pick<RhiCapabilities, 'limits'> & Partial<Pick<RhiCapabilities, 'surfaceFormat'>>;
}

export class CheckedImmediateContext extends ImmediateContext {
  readonly #subLists: SubLists;
  /** Told of a frame that is still open when another one is begun, before that is refused. */
  onFrameLeftOpen: ((frame: number) => void) | null = null;

  /** @throws OptionError `option-invalid`, `option-unknown`; RhiError `bad-frames-in-flight`, `bad-argument` */
  constructor(writer: StreamWriter, options: CheckedContextOptions) {
    checkWriter('the context', writer);
    checkOptionNames('An immediate context', options, 'maxFramesInFlight, capabilities, label');
    const { maxFramesInFlight, capabilities, label } = options;
    checkFramesInFlight(maxFramesInFlight);
    if (label !== undefined) checkText('the context', 'label', label);
    const { surfaceFormat } = capabilities ?? {};
    const owner = makeListOwner(label);
    const mark = markOfOwner(owner.id);
    super(writer, { maxFramesInFlight, surfaceFormat, mark, checks: argumentChecks(capabilities) });
    this.#subLists = new SubLists(owner);
    refuseUnsupported(this);
  }

  override beginFrame(frame: number, flags?: number): void {
    if (this.isInFrame) this.onFrameLeftOpen?.(this.lastBegunFrame);
    super.beginFrame(frame, flags);
  }

  override onFrameFinished(listener: FrameListener): () => void {
    checkFunction('onFrameFinished', 'the listener', listener);
    return super.onFrameFinished(listener);
  }

  override onSubmission(check: () => void): () => void {
    checkFunction('onSubmission', 'the check', check);
    return super.onSubmission(check);
  }

  /**
   * Opens a list for a deferred context, on this thread or another (it is plain data). From here until it is executed
   * or discarded, `destroy` takes nothing from it (SYSTEMS L3).
   * @throws RhiError `frame-not-begun` outside a frame
   */
  openSubList(label: string, options: SubListOptions = {}): CommandList {
    checkText('openSubList', 'label', label);
    checkOptionNames('openSubList', options, 'queue');
    const { queue = QueueHint.graphics } = options;
    checkBoundedWord('openSubList', 'queue', queue, 1, QueueHint.copy);
    if (!this.isInFrame) {
      throw new RhiError(
        'frame-not-begun',
        `The deferred list "${label}" was opened between frames. Lists start, close and execute within one frame: call beginFrame first.`,
      );
    }
    return this.#subLists.open(label, this.lastBegunFrame, queue);
  }

  /**
   * Puts the lists' commands here, in the order given, which alone decides; then carries out the destroys they ask
   * for. The lists' states are checked before the first is taken.
   * @throws RhiError `list-open`, `list-executed`, `list-discarded`, `list-unknown`, `list-corrupt`; `stale-handle`
   *   for a destroy
   */
  executeSubLists(lists: readonly CommandList[]): void {
    this.#subLists.checkExecutable(lists);
    const queue = this.queue;
    for (const list of lists) {
      if (list.queue !== this.queue) this.setQueue(list.queue);
      appendList(this.writer, list);
      if (list.readsBack) this.readBackRecorded();
      this.queue = list.lastQueue;
    }
    if (this.queue !== queue) this.setQueue(queue);
    this.#finish(lists.flatMap((list) => this.#subLists.end(list, 'executed')));
  }

  /**
   * Drops a list, whatever has become of it, so that it pins nothing; the destroys it asks for are carried out.
   * @throws RhiError `list-executed`, `list-unknown` for a list of another context
   */
  discardSubList(list: CommandList): void {
    this.#subLists.checkOwner('discardSubList', list);
    if (list.state === 'executed') this.#subLists.checkExecutable([list]);
    this.#finish(this.#subLists.end(list, 'discarded'));
  }

  /**
   * Drops every list that is neither executed nor discarded.
   * @returns the error that names them, for who did not expect any
   */
  discardSubLists(): RhiError | null {
    const late = this.#subLists.takeLate();
    if (late.length === 0) return null;
    const wereOpen = late.some(({ state }) => state !== 'recorded');
    const error = listsLeftBehind(late, wereOpen);
    this.#finish(late.flatMap((list) => this.#subLists.end(list, 'discarded')));
    return error;
  }

  /** Lists are done: first what waited for them is destroyed, then what they ask for themselves. */
  #finish(destroys: readonly number[]): void {
    const subLists = this.#subLists;
    for (let handle = subLists.takeReleased(); handle; handle = subLists.takeReleased()) {
      super.recordDestroy(handle);
    }
    let firstError: unknown = null;
    for (const handle of destroys) {
      try {
        this.destroy(handle as ResourceHandle);
      } catch (error) {
        firstError ??= error;
      }
    }
    if (firstError !== null) throw firstError;
  }

  protected override recordDestroy(handle: number): void {
    if (this.#subLists.areOutstanding) this.#subLists.hold(handle);
    else super.recordDestroy(handle);
  }

  protected override endSubLists(): RhiError | null {
    return this.discardSubLists();
  }
}

export class CheckedDeferredContext extends DeferredContext {
  constructor() {
    super(argumentChecks());
    refuseUnsupported(this);
  }
}
