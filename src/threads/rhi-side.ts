import type { StreamReader } from '../core/stream.js';
import type { RhiCapabilities } from '../rhi/descriptors.js';
import type { Executor, LeakReport } from '../rhi/executor.js';
import { NullExecutor, nullCapabilities } from '../rhi/null/executor.js';
import { WebGpuExecutor } from '../rhi/webgpu/executor.js';
import { openDevice } from '../rhi/webgpu/open-device.js';
import { FrameStat } from './frame-stats.js';
import { FrameTrace } from './frame-trace.js';
import { PresentationCounter } from './presentation-counter.js';

/**
 * The RHI end of the pipeline: the thread that owns the device and the surface. It reads RHI command lists,
 * executes them on a backend, and reports figures, errors and read-backs to whoever composed it.
 */
export type DrawingSurface = OffscreenCanvas | HTMLCanvasElement;

export interface RhiSideOptions {
  readonly backend: 'webgpu' | 'null';
  readonly surface: DrawingSurface | null;
  readonly maxFramesInFlight: number;
  /** `FrameStat` block; the RHI thread's part is written. */
  readonly stats: Float64Array;
  readonly onError: (error: unknown) => void;
  readonly onReadback: (request: number, bytes: ArrayBuffer) => void;
  /** A frame was submitted, or completed: the statistics have changed. */
  readonly onFrame: () => void;
}

export interface RhiSide {
  readonly executor: Executor;
  readonly trace: FrameTrace;
  shutDown(): Promise<LeakReport>;
}

/** A device that is open, before there is a stream to execute. */
export interface OpenRhi {
  readonly device: GPUDevice | null;
  readonly capabilities: RhiCapabilities;
}

/** @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing` */
export async function openRhi(backend: 'webgpu' | 'null'): Promise<OpenRhi> {
  if (backend === 'null') return { device: null, capabilities: nullCapabilities() };
  return openDevice(globalThis.navigator?.gpu);
}

/** Starts to execute what arrives on `reader`. */
export function startRhiSide({ device }: OpenRhi, reader: StreamReader, options: RhiSideOptions): RhiSide {
  const { surface, maxFramesInFlight, stats, onError, onReadback, onFrame } = options;
  const trace = new FrameTrace('RHI');
  const executorOptions = {
    reader,
    surface,
    maxFramesInFlight,
    onError,
    onReadback,
    onFrame: (): void => {
      const figures = executor.stats;
      const now = performance.now();
      trace.add(figures.frame, now - figures.rhiThreadMs, now);
      stats[FrameStat.rhiThreadMs] = figures.rhiThreadMs;
      stats[FrameStat.gpuMs] = figures.gpuMs ?? Number.NaN;
      stats[FrameStat.drawCalls] = figures.drawCalls;
      stats[FrameStat.instances] = figures.instances;
      stats[FrameStat.skippedDraws] = figures.skippedDraws;
      stats[FrameStat.uploadBytes] = figures.uploadBytes;
      stats[FrameStat.liveResources] = figures.liveResources;
      stats[FrameStat.pendingReleases] = figures.pendingReleases;
      onFrame();
    },
  };
  const executor: Executor = device
    ? new WebGpuExecutor({ ...executorOptions, device })
    : new NullExecutor(executorOptions);

  const { requestAnimationFrame } = globalThis;
  const counter = new PresentationCounter(
    surface && requestAnimationFrame ? (callback) => requestAnimationFrame(callback) : null,
  );
  executor.submitted.subscribe(() => counter.frameSubmitted(executor.submitted.value));
  executor.completed.subscribe(() => {
    counter.frameCompleted(executor.completed.value);
    stats[FrameStat.presentedFrames] = counter.presentedFrames;
    onFrame();
  });
  return {
    executor,
    trace,
    shutDown: async () => {
      const report = await executor.dispose();
      device?.destroy();
      return report;
    },
  };
}
