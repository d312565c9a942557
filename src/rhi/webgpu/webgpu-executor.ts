/** The executor of `fencepost/rhi`: all of its code is at hand, so that no command waits for a file. */
import { BundleEncoder } from './bundle-encoder.js';
import { type ExecutorComposition, LoadingExecutor, type WebGpuExecutorOptions } from './executor.js';
import { Seldom } from './seldom.js';

export class WebGpuExecutor extends LoadingExecutor {
  constructor(
    options: WebGpuExecutorOptions,
    composition: Omit<ExecutorComposition, 'seldom' | 'bundleEncoder'> = {},
  ) {
    super(options, { ...composition, seldom: { Seldom }, bundleEncoder: { BundleEncoder } });
  }
}
