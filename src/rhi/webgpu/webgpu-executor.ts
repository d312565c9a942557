/** The executor of `fencepost/rhi`: all of its code is at hand, so that no command waits for a file. */
import { Bundles } from './bundles.js';
import { type ExecutorComposition, LoadingExecutor, type WebGpuExecutorOptions } from './executor.js';
import type { ExecutorCode } from './parts.js';
import { Seldom } from './seldom.js';

export class WebGpuExecutor extends LoadingExecutor {
  constructor(
    options: WebGpuExecutorOptions,
    composition: Omit<ExecutorComposition, keyof ExecutorCode> = {},
  ) {
    super(options, { ...composition, seldom: { Seldom }, bundles: { Bundles } });
  }
}
