import type { EventRing } from '../../core/event-ring.js';
import type { StreamReader } from '../../core/stream.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { Executor, LeakReport } from '../../rhi/host/executor.js';
import { WebGpuExecutor } from '../../rhi/webgpu/executor.js';
import { openDevice } from '../../rhi/webgpu/open-device.js';
import type { ExecutorParts } from '../../rhi/webgpu/parts.js';
import type { Features } from '../control/features.js';
import { FrameStat } from '../control/frame-stats.js';
import { GameFrames } from '../render-worker/game-frames.js';
import { PresentationCounter } from './presentation-counter.js';

/**
 * The RHI end of the pipeline: the thread that owns the device and the surface. It reads RHI command lists,
 * executes them on a backend, and reports figures, errors and read-backs to whoever composed it.
 */
export type DrawingSurface = OffscreenCanvas | HTMLCanvasElement;

export interface RhiSideOptions {
  readonly surface: DrawingSurface | null;
  readonly validation: boolean;
  readonly maxFramesInFlight: number;
  /** `FrameStat` block; the RHI thread's part is written. */
  readonly stats: Float64Array;
  /** Of the thread it runs on. */
  readonly events: EventRing;
  readonly onError: (error: unknown) => void;
  readonly onReadback: (request: number, bytes: ArrayBuffer) => void;
  /** A frame was submitted, or completed: the statistics have changed. */
  readonly onFrame: () => void;
}

export interface RhiSide {
  readonly executor: Executor;
  /** What the game waits for; the render thread's gate counts the executor's lists. */
  readonly frames: GameFrames;
  readonly capabilities: RhiCapabilities;
  /** What the executor reads; on WebGPU, also what a capture needs to know of it. */
  readonly reader: StreamReader;
  readonly parts: ExecutorParts | null;
  /** Another one where render modules read back as well. */
  onReadback: (request: number, bytes: ArrayBuffer) => void;
  /** Passes are timed from now on, where the device can. */
  measureGpu(): Promise<void>;
  /** @param isReplaced another side follows on this thread: device and picture stay */
  shutDown(isReplaced?: boolean): Promise<LeakReport>;
}

/** A device that is open, before there is a stream to execute. */
export interface OpenRhi {
  readonly device: GPUDevice | null;
  readonly capabilities: RhiCapabilities;
  /** Loaded already, where the options ask for something of it. */
  readonly features: Features | null;
  readonly loadFeatures: () => Promise<Features>;
}

/**
 * @param needsFeatures of options that ask for validation; the null backend is one of them too
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`
 */
export async function openRhi(
  backend: 'webgpu' | 'null',
  needsFeatures: boolean,
  loadFeatures: () => Promise<Features>,
): Promise<OpenRhi> {
  const isNull = backend === 'null';
  const features = isNull || needsFeatures ? await loadFeatures() : null;
  if (features && isNull)
    return { device: null, capabilities: features.nullCapabilities(), features, loadFeatures };
  return {
    ...(await openDevice(globalThis.navigator?.gpu)),
    features: needsFeatures ? features : null,
    loadFeatures,
  };
}

/** Starts to execute what arrives on `stream`. */
export function startRhiSide(opened: OpenRhi, stream: StreamReader, options: RhiSideOptions): RhiSide {
  const { device, capabilities, features } = opened;
  const { surface, maxFramesInFlight, stats, events, onError, onFrame } = options;
  const onReadback = (request: number, bytes: ArrayBuffer): void => side.onReadback(request, bytes);
  const checked =
    features && options.validation
      ? features.validate(stream, {
          onError,
          capabilities,
          onReadback,
          completedLists: (): number => executor.completed.value,
        })
      : null;
  const reader = checked ?? stream;
  const executorOptions = {
    reader,
    surface,
    maxFramesInFlight,
    events,
    onError: (error: unknown): void => {
      // What ends it is told by its fences, and reported by whoever decides what comes then.
      if (error !== executor.completed.error) onError(error);
    },
    onReadback,
    onFrame: (): void => {
      const figures = executor.stats;
      stats[FrameStat.rhiThreadMs] = figures.rhiThreadMs;
      stats[FrameStat.gpuMs] = figures.gpuMs ?? Number.NaN;
      stats[FrameStat.drawCalls] = figures.drawCalls;
      stats[FrameStat.instances] = figures.instances;
      stats[FrameStat.skippedDraws] = figures.skippedDraws + (checked?.skippedDraws ?? 0);
      stats[FrameStat.uploadBytes] = figures.uploadBytes;
      stats[FrameStat.liveResources] = figures.liveResources;
      stats[FrameStat.pendingReleases] = figures.pendingReleases;
      onFrame();
    },
  };
  const webgpu: WebGpuExecutor | null =
    device && new WebGpuExecutor({ ...executorOptions, device }, { isMeasured: false });
  const executor: Executor = webgpu ?? (features as Features).createNullExecutor(executorOptions);
  const frames = new GameFrames(executor, events);

  const { requestAnimationFrame } = globalThis;
  const counter = new PresentationCounter(
    surface && requestAnimationFrame ? (callback) => requestAnimationFrame(callback) : null,
    events,
  );
  executor.submitted.subscribe(() => {
    const { value } = executor.submitted;
    counter.frameSubmitted(value, executor.stats.frame);
  });
  executor.completed.subscribe(() => {
    counter.frameCompleted(executor.completed.value);
    stats[FrameStat.presentedFrames] = counter.presentedFrames;
    onFrame();
  });
  const side: RhiSide = {
    executor,
    frames,
    capabilities,
    reader,
    parts: webgpu?.parts ?? null,
    onReadback: options.onReadback,
    measureGpu: async () => webgpu?.measureGpu(),
    shutDown: async (isReplaced) => {
      const report = await executor.dispose(isReplaced);
      if (!isReplaced) device?.destroy();
      return report;
    },
  };
  return side;
}
