/**
 * Executes RHI command lists on WebGPU. The loop over records, frames, waits and releases is that of every backend
 * (`execute/list-executor.ts`). The handlers (`handlers.ts`) carry out the records on the backend's objects (`webgpu-backend.ts`).
 */
import type { ExecutorOptions } from '../execute/executor.js';
import { ListExecutor } from '../execute/list-executor.js';
import type { ErrorScopes } from './device/error-scopes.js';
import type { HandlersByName } from './handlers.js';
import { WebGpuBackend } from './webgpu-backend.js';

export interface WebGpuExecutorOptions extends ExecutorOptions {
  /** Stays the caller's: `dispose` does not destroy it. */
  readonly device: GPUDevice;
  /** Format of the surface's texture; default: what the browser prefers, else `rgba8unorm`. */
  readonly surfaceFormat?: GPUTextureFormat;
  /**
   * Bytes of memory for writes in the middle of a list, at most (SYSTEMS M6): what does not fit waits until the GPU has
   * caught up. Default 268,435,456.
   */
  readonly maximumUploadBytes?: number;
}

/** Options for whoever creates the executor; users of the executor never see them. */
export interface ExecutorComposition {
  /** Passes are timed where the device can, from the start; else from `measureGpu` on. Default true. */
  readonly isMeasured?: boolean;
  /** Handlers in the place of those that the commands have. */
  readonly handlers?: Partial<HandlersByName>;
  /** With it, what WebGPU finds wrong is told as `gpu-validation`: see `error-scopes.ts`. Validation brings it. */
  readonly errorScopes?: typeof ErrorScopes | undefined;
}

export class WebGpuExecutor extends ListExecutor<WebGpuBackend> {
  constructor(options: WebGpuExecutorOptions, composition: ExecutorComposition = {}) {
    super(options, (host) => new WebGpuBackend(options, host, composition));
  }

  /** For captures, which copy what the resources hold. */
  get gpuBackend(): WebGpuBackend {
    return this.backend;
  }

  /** Bytes of upload pages: now, and at most so far. */
  get uploadPageBytes(): { readonly now: number; readonly peak: number } {
    const { totalBytes, peakBytes } = this.gpuBackend.transfers.uploads;
    return { now: totalBytes, peak: peakBytes };
  }

  /** Times passes from the next frame on, if the device can. */
  measureGpu(): void {
    if (this.completed.error === null) this.gpuBackend.rare.timer.start();
  }

  /** Latest GPU times of passes by their labels, in milliseconds; none before `measureGpu`, and where the device has no timestamps. */
  get passMilliseconds(): ReadonlyMap<string, number> {
    return this.gpuBackend.rare.timer.passMilliseconds;
  }

  override whenPipelinesReady(): Promise<void> {
    return this.gpuBackend.resources.whenPipelinesReady();
  }
}
