/**
 * The contexts of `fencepost/rhi`: the engine's contexts, with checks of the arguments of each call
 * (`argument-checks.ts`).
 */
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, func, member, optional, text } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { checkFramesInFlight, checkOptions, checkWriter } from '../commands/class-arguments.js';
import { QueueHint } from '../commands/commands.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import { markOfOwner } from '../commands/handles.js';
import { refuseUnsupported } from '../commands/unsupported-commands.js';
import { argumentChecks } from './argument-checks.js';
import { checkIs } from './call-checks.js';
import { type CommandList, makeListOwner } from './command-list.js';
import { DeferredContext } from './deferred-context.js';
import type { FrameListener } from './frame-ends.js';
import { ImmediateContext } from './immediate-context.js';
import { ListPages } from './list-pages.js';

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
   * Number of frames that the GPU may lag behind, 1 to 8. A handle's slot is reused after that many frames and a
   * margin. `checkFramesInFlight` checks the number.
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
    super(writer, { maxFramesInFlight, surfaceFormat, owner, mark, checks });
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
   * @throws RhiError `frame-not-begun` outside a frame, `bad-argument`; OptionError `option-unknown`, `option-invalid`
   */
  override openSubList(label: string, options: SubListOptions = {}): CommandList {
    checkIs('openSubList', 'label', label, text());
    return super.openSubList(label, fillOptions('openSubList', options, SUB_LIST_OPTIONS));
  }
}

export class CheckedDeferredContext extends DeferredContext {
  readonly #pages: ListPages;

  constructor() {
    const pages = new ListPages();
    super(pages, argumentChecks());
    this.#pages = pages;
    refuseUnsupported(this);
  }

  /**
   * Numbers of pages of recording memory: `made` counts the pages created so far, and `free` counts the unused pages.
   * In the steady state no page is created (SYSTEMS L7).
   */
  get pageCounts(): { readonly made: number; readonly free: number } {
    return { made: this.#pages.made, free: this.#pages.free };
  }
}
