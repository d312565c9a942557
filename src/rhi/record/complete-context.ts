/**
 * The immediate context with all that a renderer's own frame does not need: deferred lists, listeners at the frame's
 * end, and a frame's order. `fencepost/rhi` exports it as `ImmediateContext`; the engine's worker carries the small one.
 *
 *   beginFrame N ─ openSubList ─ … ─ executeSubLists ─ … ─ endFrame N ─► listeners, which may still record
 *                       │                  ▲                             lists left behind: an error
 *                       └─ other threads ──┘ records, in the given order  record endFrame N
 *
 * A frame and a list begin on the graphics queue (SYSTEMS H6).
 */
import { RhiError } from '../../core/errors.js';
import { checkOptionNames, shownValue } from '../../core/option-names.js';
import type { StreamWriter } from '../../core/stream.js';
import { QueueHint, RhiOpcode } from '../commands/commands.js';
import type { FenceHandle, ResourceHandle } from '../commands/descriptors.js';
import { checkFunction, checkText, checkWord } from './call-checks.js';
import { beginInlineData } from './checked-calls.js';
import { appendList, type CommandList, makeListOwner } from './command-list.js';
import { DescribedContext, type DescribedContextOptions } from './described-context.js';
import { listsLeftBehind, SubLists } from './sub-lists.js';

/** @param frame the one that ends; what is recorded now still belongs to it */
export type FrameListener = (frame: number) => void;

/** Where those who hold data of one frame learn that it ends (SYSTEMS L8). */
export interface FrameEnds {
  /** Calls the listener in every `endFrame`, in the order of registration. Returns what ends that. */
  onFrameFinished(listener: FrameListener): () => void;
}

export interface SubListOptions {
  /** The queue of its first command. Default: graphics. */
  readonly queue?: QueueHint;
}

export interface CompleteContextOptions extends DescribedContextOptions {
  /** Names it in messages about its deferred lists. Default: `context 1`, and so on. */
  readonly label?: string | undefined;
}

export class CompleteImmediateContext extends DescribedContext implements FrameEnds {
  readonly #frameListeners: FrameListener[] = [];
  readonly #submissionChecks: (() => void)[] = [];
  readonly #subLists: SubLists;
  /** The one that is open, else the last one; -1: none yet. */
  #frame = -1;
  #isInFrame = false;
  #queue: QueueHint = QueueHint.graphics;

  constructor(writer: StreamWriter, options: CompleteContextOptions) {
    super(writer, options);
    const { label } = options;
    if (label !== undefined) checkText('the context', 'label', label);
    this.#subLists = new SubLists(makeListOwner(label));
  }

  /** @throws RhiError `frame-number`, `frame-not-ended` */
  override beginFrame(frame: number, flags = 0): void {
    if (this.#isInFrame) {
      // Throws what has ended the stream, if anything has: then no endFrame can help.
      this.writer.publish();
      throw new RhiError(
        'frame-not-ended',
        `Frame ${shownValue(frame)} was begun while frame ${this.#frame} is open. Call endFrame first.`,
      );
    }
    if (!(Number.isInteger(frame) && frame > this.#frame && frame < 2 ** 32)) {
      throw new RhiError(
        'frame-number',
        `Frame ${shownValue(frame)} was begun after frame ${this.#frame}. Number frames from 0 upwards in whole numbers; skipping is allowed.`,
      );
    }
    checkWord('beginFrame', 'flags', flags);
    super.beginFrame(frame, flags);
    beginInlineData(this);
    this.#frame = frame;
    this.#isInFrame = true;
    this.#queue = QueueHint.graphics;
  }

  /** The frame that is open, else the last one that was begun; -1: none yet. */
  get lastBegunFrame(): number {
    return this.#frame;
  }

  /** Between `beginFrame` and `endFrame`. */
  get isInFrame(): boolean {
    return this.#isInFrame;
  }

  /**
   * The one place that finishes a frame on the recorder's side (SYSTEMS L8); the executor has its own. Every listener
   * is called once and the frame ends, then the first error is thrown.
   * @throws what a check of submissions threw (`buffer-mapped`): the frame stays open then. RhiError
   *   `frame-not-begun`; `list-left-open` or `list-not-executed`, with the labels of lists that the frame leaves
   *   behind; what a listener threw
   */
  override endFrame(): void {
    if (!this.#isInFrame) {
      throw new RhiError('frame-not-begun', 'endFrame was called between frames. Call beginFrame first.');
    }
    this.#checkSubmission();
    const errors = this.#frameListeners.length > 0 ? this.#tellListeners() : null;
    const leftBehind = this.discardSubLists();
    this.#isInFrame = false;
    super.endFrame();
    if (errors?.length) throw errors[0];
    if (leftBehind !== null) throw leftBehind;
  }

  /** Returns what they threw. */
  #tellListeners(): unknown[] {
    const errors: unknown[] = [];
    for (const listener of [...this.#frameListeners]) {
      try {
        listener(this.#frame);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  onFrameFinished(listener: FrameListener): () => void {
    checkFunction('onFrameFinished', 'the listener', listener);
    // A wrapper of its own, so that one function can be registered twice.
    const entry: FrameListener = (frame) => listener(frame);
    this.#frameListeners.push(entry);
    return () => {
      const index = this.#frameListeners.indexOf(entry);
      if (index >= 0) this.#frameListeners.splice(index, 1);
    };
  }

  /**
   * Calls the check before the list, or what there is of it, is submitted: at the beginning of `endFrame`,
   * `signalFence`, `waitFence` and `localCommand`. What it throws refuses that: nothing is recorded, the frame stays
   * open, and the call may be repeated. Returns what ends that.
   */
  onSubmission(check: () => void): () => void {
    checkFunction('onSubmission', 'the check', check);
    const entry = () => check();
    this.#submissionChecks.push(entry);
    return () => {
      const index = this.#submissionChecks.indexOf(entry);
      if (index >= 0) this.#submissionChecks.splice(index, 1);
    };
  }

  override signalFence(fence: FenceHandle, value: number): void {
    this.#checkSubmission();
    super.signalFence(fence, value);
  }

  override waitFence(fence: FenceHandle, value: number): void {
    this.#checkSubmission();
    super.waitFence(fence, value);
  }

  override localCommand(name: string, data?: Uint8Array): void {
    this.#checkSubmission();
    super.localCommand(name, data);
  }

  #checkSubmission(): void {
    for (const check of this.#submissionChecks) check();
  }

  override setQueue(queue: QueueHint): void {
    super.setQueue(queue);
    this.#queue = queue;
  }

  // Deferred lists

  /**
   * Opens a list for a deferred context, on this thread or another (it is plain data). From here until it is executed
   * or discarded, `destroy` takes nothing from it (SYSTEMS L3).
   * @throws RhiError `frame-not-begun` outside a frame
   */
  openSubList(label: string, options: SubListOptions = {}): CommandList {
    checkText('openSubList', 'the label', label);
    checkOptionNames('openSubList', options, 'queue');
    const { queue = QueueHint.graphics } = options;
    checkWord('openSubList', 'the queue', queue);
    if (!this.#isInFrame) {
      throw new RhiError(
        'frame-not-begun',
        `The deferred list "${label}" was opened between frames. Lists start, close and execute within one frame: call beginFrame first.`,
      );
    }
    return this.#subLists.open(label, this.#frame, queue);
  }

  /**
   * Puts the lists' commands here, in the order given, which alone decides; then carries out the destroys they ask
   * for. The lists' states are checked before the first is taken.
   * @throws RhiError `list-open`, `list-executed`, `list-discarded`, `list-unknown`, `list-corrupt`; `stale-handle`
   *   for a destroy
   */
  executeSubLists(lists: readonly CommandList[]): void {
    this.#subLists.checkExecutable(lists);
    const queue = this.#queue;
    for (const list of lists) {
      if (list.queue !== this.#queue) this.setQueue(list.queue);
      appendList(this.writer, list);
      this.#queue = list.lastQueue;
    }
    if (this.#queue !== queue) this.setQueue(queue);
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

  /** While lists are out that were opened before this call, it is carried out after them (SYSTEMS L3). */
  override destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined || !this.#subLists.areOutstanding) {
      super.destroy(handle);
      return;
    }
    this.handles.free(handle);
    this.forget(handle);
    this.#subLists.hold(handle);
  }

  /** Lists are done: first what waited for them is destroyed, then what they ask for themselves. */
  #finish(destroys: readonly number[]): void {
    this.#releaseHeld();
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

  #releaseHeld(): void {
    for (let handle = this.#subLists.takeReleased(); handle; handle = this.#subLists.takeReleased()) {
      const index = this.writer.reserve(RhiOpcode.destroyResource, 1);
      this.writer.words[index] = handle;
    }
  }
}
