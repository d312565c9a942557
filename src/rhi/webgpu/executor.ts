/**
 * Executes RHI command lists on WebGPU. All backends share the loop over records, frames, waits and releases
 * (`execute/list-executor.ts`). The handlers (`handlers.ts`) execute the records on the backend's objects
 * (`webgpu-backend.ts`).
 */
import type { ExecutorOptions } from '../execute/executor.js';
import { ListExecutor } from '../execute/list-executor.js';
import type { ErrorScopes } from './device/error-scopes.js';
import type { HandlersByName } from './handlers.js';
import { WebGpuBackend } from './webgpu-backend.js';

export interface WebGpuExecutorOptions extends ExecutorOptions {
  /** The device. The caller owns it: `dispose` does not destroy it. */
  readonly device: GPUDevice;
  /** Format of the surface's texture. Default: the browser's preferred format, else `rgba8unorm`. */
  readonly surfaceFormat?: GPUTextureFormat;
  /**
   * Maximum bytes of memory for writes in the middle of a list (SYSTEMS M6). Writes beyond it wait for the GPU. Default
   * 268,435,456.
   */
  readonly maximumUploadBytes?: number;
}

/** Options for the code that creates the executor; users of the executor never see them. */
export interface ExecutorComposition {
  /** Whether passes are timed from the start, if the device can; else from `measureGpu` on. Default true. */
  readonly isMeasured?: boolean;
  /** Handlers that replace the commands' own. */
  readonly handlers?: Partial<HandlersByName>;
  /** Reports WebGPU's validation errors as `gpu-validation` (`error-scopes.ts`). Validation provides it. */
  readonly errorScopes?: typeof ErrorScopes | undefined;
}

export class WebGpuExecutor extends ListExecutor<WebGpuBackend> {
  constructor(options: WebGpuExecutorOptions, composition: ExecutorComposition = {}) {
    super(options, (host) => new WebGpuBackend(options, host, composition));
  }

  /** The backend, for captures, which copy the contents of resources. */
  get gpuBackend(): WebGpuBackend {
    return this.backend;
  }

  /** Bytes of upload pages: current and peak. */
  get uploadPageBytes(): { readonly now: number; readonly peak: number } {
    const { totalBytes, peakBytes } = this.gpuBackend.transfers.uploads;
    return { now: totalBytes, peak: peakBytes };
  }

  /** Times passes from the next frame on, if the device can. */
  measureGpu(): void {
    if (this.completed.error === null) this.gpuBackend.rare.timer.start();
  }

  /** Latest GPU times of passes by their labels, in milliseconds. Empty before `measureGpu`, and without timestamps. */
  get passMilliseconds(): ReadonlyMap<string, number> {
    return this.gpuBackend.rare.timer.passMilliseconds;
  }

  override whenPipelinesReady(): Promise<void> {
    return this.gpuBackend.resources.whenPipelinesReady();
  }
}
