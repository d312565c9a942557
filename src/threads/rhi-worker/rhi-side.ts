import type { EventRing } from '../../core/event-ring.js';
import type { StreamReader } from '../../core/stream.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { Executor, LeakReport } from '../../rhi/host/executor.js';
import { WebGpuExecutor } from '../../rhi/webgpu/executor.js';
import { openDevice } from '../../rhi/webgpu/open-device.js';
import type { ExecutorParts } from '../../rhi/webgpu/parts.js';
import { FrameStat } from '../control/frame-stats.js';
import type { ThreadOptions } from '../control/thread-options.js';
import type { LoadPart, ThreadPartModules } from '../control/thread-parts.js';
import { GameFrames } from '../render-worker/game-frames.js';
import { PresentationCounter } from './presentation-counter.js';

/**
 * The RHI end of the pipeline: the thread that owns the device and the surface. It reads RHI command lists,
 * executes them on a backend, and reports figures, errors and read-backs to whoever composed it.
 */
export type DrawingSurface = OffscreenCanvas | HTMLCanvasElement;

export interface RhiSideOptions {
  readonly surface: DrawingSurface | null;
  readonly options: ThreadOptions;
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
  /** Releases everything whose last use has completed. */
  purge(): void;
  /** Takes the read-backs from this number on, which the main thread has not asked for. Replaced by the next call. */
  takeReadBacks(first: number, answer: (request: number, bytes: ArrayBuffer) => void): void;
  /** Passes are timed from now on, where the device can. */
  measureGpu(): Promise<void>;
  /** Destroys the device, for tests of what follows. */
  loseDevice(): void;
  /** @param isReplaced another side follows on this thread: device and picture stay */
  shutDown(isReplaced?: boolean): Promise<LeakReport>;
}

/** A device that is open, before there is a stream to execute. */
export interface OpenRhi {
  readonly device: GPUDevice | null;
  readonly capabilities: RhiCapabilities;
  /** The parts that the options ask for. */
  readonly nullBackend: ThreadPartModules['null'] | null;
  readonly validation: ThreadPartModules['validation'] | null;
}

/** @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`; ThreadError `features-missing` */
export async function openRhi(options: ThreadOptions, loadPart: LoadPart): Promise<OpenRhi> {
  const validation = options.validation ? await loadPart('validation') : null;
  const nullBackend = options.backend === 'null' ? await loadPart('null') : null;
  const hardware = nullBackend
    ? { device: null, capabilities: nullBackend.nullCapabilities() }
    : await openDevice(globalThis.navigator?.gpu);
  return { ...hardware, nullBackend, validation };
}

/** Starts to execute what arrives on `stream`. */
export function startRhiSide(opened: OpenRhi, stream: StreamReader, given: RhiSideOptions): RhiSide {
  const { device, capabilities, nullBackend, validation } = opened;
  const { surface, options, stats, events, onError, onFrame } = given;
  const { maxFramesInFlight } = options;
  /** Read-backs from this number on are not for the main thread. */
  let firstTaken = Infinity;
  let answerTaken: RhiSideOptions['onReadback'] = () => {};
  const onReadback = (request: number, bytes: ArrayBuffer): void =>
    request >= firstTaken ? answerTaken(request, bytes) : given.onReadback(request, bytes);
  const checked =
    validation?.validate(stream, {
      onError,
      onReadback,
      completedLists: (): number => executor.completed.value,
    }) ?? null;
  const reader = checked ?? stream;
  /** Figures that change between frames as well. */
  const tellLiveResources = (): void => {
    stats[FrameStat.liveResources] = executor.stats.liveResources;
    stats[FrameStat.pendingReleases] = executor.stats.pendingReleases;
  };
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
      tellLiveResources();
      onFrame();
    },
  };
  const webgpu: WebGpuExecutor | null =
    device &&
    new WebGpuExecutor(
      { ...executorOptions, device },
      { isMeasured: false, errorScopes: checked?.errorScopes },
    );
  const executor: Executor =
    webgpu ?? (nullBackend as ThreadPartModules['null']).createNullExecutor(executorOptions);
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
    takeReadBacks: (first, answer) => {
      firstTaken = first;
      answerTaken = answer;
    },
    purge: () => {
      executor.purge();
      tellLiveResources();
      onFrame();
    },
    measureGpu: async () => webgpu?.measureGpu(),
    loseDevice: () => device?.destroy(),
    shutDown: async (isReplaced) => {
      // The stream ended with the device: the destroys behind that were never executed, and nothing of it is a leak.
      const hasFailed = executor.completed.error !== null;
      const report = await executor.dispose(isReplaced);
      if (!isReplaced) device?.destroy();
      return hasFailed ? { leaks: [] } : report;
    },
  };
  return side;
}
