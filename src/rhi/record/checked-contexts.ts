/** The contexts of `fencepost/rhi`: each call is looked at first (`argument-checks.ts`). */
import { checkOptionNames } from '../../core/option-names.js';
import type { StreamWriter } from '../../core/stream.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import { argumentChecks } from './argument-checks.js';
import { checkFunction, checkText, checkWriter } from './call-checks.js';
import { DeferredContext } from './deferred-context.js';
import { type FrameListener, ImmediateContext, type ImmediateContextOptions } from './immediate-context.js';
import { checkFramesInFlight } from './rhi-options.js';

export interface CheckedContextOptions extends Pick<ImmediateContextOptions, 'maxFramesInFlight' | 'label'> {
  /** With it, a `create…` beyond the device's limits throws `limit-exceeded`; without, execution finds it. */
  readonly capabilities?: Pick<RhiCapabilities, 'limits'> & Partial<Pick<RhiCapabilities, 'surfaceFormat'>>;
}

export class CheckedImmediateContext extends ImmediateContext {
  /** @throws OptionError `option-invalid`, `option-unknown`; RhiError `bad-frames-in-flight`, `bad-argument` */
  constructor(writer: StreamWriter, options: CheckedContextOptions) {
    checkWriter('the context', writer);
    checkOptionNames('An immediate context', options, 'maxFramesInFlight, capabilities, label');
    const { maxFramesInFlight, capabilities, label } = options;
    checkFramesInFlight(maxFramesInFlight);
    if (label !== undefined) checkText('the context', 'label', label);
    const { surfaceFormat } = capabilities ?? {};
    super(writer, { maxFramesInFlight, label, surfaceFormat, checks: argumentChecks(capabilities) });
  }

  override onFrameFinished(listener: FrameListener): () => void {
    checkFunction('onFrameFinished', 'the listener', listener);
    return super.onFrameFinished(listener);
  }

  override onSubmission(check: () => void): () => void {
    checkFunction('onSubmission', 'the check', check);
    return super.onSubmission(check);
  }
}

export class CheckedDeferredContext extends DeferredContext {
  constructor() {
    super(argumentChecks());
  }
}
