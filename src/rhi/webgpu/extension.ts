/**
 * How an executor learns commands that few lists have. The engine's worker must stay small, so the executor itself
 * knows what a renderer records every frame; the rest is an extension, which `fencepost/rhi` always has and the
 * engine loads when it needs it.
 *
 *   record ─► executor's own commands ─► extension.execute ─► else: error, the record is skipped
 */
import type { StreamReader } from '../../core/stream.js';
import type { Fence } from '../../sync/fence.js';
import type { RenderPassDescriptor } from '../commands/descriptors.js';
import type { WebGpuExecutorOptions } from './executor.js';
import type { GpuTimer } from './gpu-timer.js';
import type { ListEncoder } from './list-encoder.js';
import type { PassEncoder } from './pass-encoder.js';
import type { Resources } from './resources.js';
import type { RunExecutor } from './run-executor.js';
import type { Transfers } from './transfers.js';
import type { Viewport } from './viewport.js';

/** What an extension sees of its executor. */
export interface ExecutorParts {
  readonly device: GPUDevice;
  readonly options: WebGpuExecutorOptions;
  readonly resources: Resources;
  readonly list: ListEncoder;
  readonly pass: PassEncoder;
  readonly transfers: Transfers;
  readonly viewport: Viewport;
  readonly submitted: Fence;
  readonly completed: Fence;
  /** Set it, at any time, to have passes timed where the device can: `GpuTimer.create`. The executor disposes of it. */
  timer?: GpuTimer | null;
  /** Set it, at any time, to have what a pass has most of executed straight from the page. */
  runs?: RunExecutor;
  /** What the render pass begun last was begun with. */
  renderPass?: RenderPassDescriptor;
  /** @throws RhiError `command-inside-pass` */
  outsidePass(): void;
  /** True: this frame may skip nothing, so its record is held until no pipeline is being created. */
  mustWaitForPipelines(): boolean;
  /** Ends a pass that the list forgot to end, and reports it. */
  endForgottenPass(): void;
  /** Holds the current record: it is executed again once the promise has settled. Nothing overtakes it. */
  hold(until: Promise<unknown>): void;
  /** Frees the object once the list being recorded has completed; nothing recorded later may use it. */
  release(object: Releasable): void;
  report(error: unknown): void;
}

/** `gpu.destroy()`, where there is one, is called when the GPU has finished with it. */
export interface Releasable {
  readonly gpu: unknown;
}

export interface ExecutorExtension {
  /** Carries out the reader's current record. False: not one of its commands. */
  execute(reader: StreamReader): boolean;
  /** After the frame's submission, in the same task. */
  frameSubmitted?(): void;
  /** The device is lost: nothing waits for it any more. */
  deviceLost?(): void;
  dispose?(): void;
}

export type ExtensionFactory = (parts: ExecutorParts) => ExecutorExtension;
