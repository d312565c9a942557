/**
 * Executes RHI command lists on WebGPU. `execute/list-executor.ts` has the code that all backends share: the loop
 * over records, frames, waits and releases. The handlers (`handlers.ts`) execute the records with the parts of the
 * backend (`webgpu-backend.ts`).
 */
import type { ExecutorOptions } from '../execute/executor.js';
import { ListExecutor } from '../execute/list-executor.js';
import type { ErrorScopes } from './device/error-scopes.js';
import type { HandlersByName } from './handlers.js';
import { WebGpuBackend } from './webgpu-backend.js';

export interface WebGpuExecutorOptions extends ExecutorOptions {
  /** The device. The caller owns it: `dispose` does not destroy it. */
  readonly device: GPUDevice;
  /** Format of the surface's texture. Default: the browser's preferred format; without a browser `rgba8unorm`. */
  readonly surfaceFormat?: GPUTextureFormat;
  /**
   * Maximum bytes of upload pages, which hold the data of writes in the middle of a list (SYSTEMS M6). A write beyond
   * the maximum waits for the GPU. Default 268,435,456.
   */
  readonly maximumUploadBytes?: number;
  /**
   * Maximum bytes of the staging pool, through which all read-backs pass (SYSTEMS M6). A read-back beyond the maximum
   * waits for earlier read-backs. Default 268,435,456.
   */
  readonly maximumReadBackBytes?: number;
}

/** Options for the code that creates the executor; users of the executor never see them. */
export interface ExecutorComposition {
  /** Whether GPU times are measured from the start. If false, `measureGpu` starts the measurement. Default true. */
  readonly isMeasured?: boolean;
  /** Handlers that replace the usual ones, by command. */
  readonly handlers?: Partial<HandlersByName>;
  /** Class that reports WebGPU's validation errors as `gpu-validation`. The validating reader provides it. */
  readonly errorScopes?: typeof ErrorScopes | undefined;
}

export class WebGpuExecutor extends ListExecutor<WebGpuBackend> {
  constructor(options: WebGpuExecutorOptions, composition: ExecutorComposition = {}) {
    super(options, (host) => new WebGpuBackend(options, host, composition));
  }

  /** The backend. Captures need it to copy the contents of resources. */
  get gpuBackend(): WebGpuBackend {
    return this.backend;
  }

  /** Bytes of upload pages: current and peak. */
  get uploadPageBytes(): { readonly now: number; readonly peak: number } {
    const { totalBytes, peakBytes } = this.gpuBackend.transfers.uploads;
    return { now: totalBytes, peak: peakBytes };
  }

  /** Bytes of the staging pool of read-backs: current and peak. */
  get readBackBytes(): { readonly now: number; readonly peak: number } {
    const { totalBytes, peakBytes } = this.gpuBackend.stagedReads.pool;
    return { now: totalBytes, peak: peakBytes };
  }

  /** Measures GPU times from the next frame on, if the device has timestamps. */
  measureGpu(): void {
    if (this.completed.error === null) this.gpuBackend.rare.timer.start();
  }

  /**
   * Latest GPU times of passes by their labels, in milliseconds. Empty without measurements, and without
   * timestamps.
   */
  get passMilliseconds(): ReadonlyMap<string, number> {
    return this.gpuBackend.rare.timer.passMilliseconds;
  }

  override whenPipelinesReady(): Promise<void> {
    return this.gpuBackend.resources.whenPipelinesReady();
  }
}
