import type { EventRing } from '../../core/events/event-ring.js';
import type { EndingReader, StreamReader } from '../../core/streams/stream.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { Executor, LeakReport } from '../../rhi/execute/executor.js';
import { composeExecution } from '../../rhi/host/compose-execution.js';
import { openDevice } from '../../rhi/webgpu/device/open-device.js';
import { WebGpuExecutor } from '../../rhi/webgpu/executor.js';
import { GPU_MEMORY } from '../../rhi/webgpu/resources/gpu-memory.js';
import type { WebGpuBackend } from '../../rhi/webgpu/webgpu-backend.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameStat, MemoryPeak, MemoryStat, noteBytes } from '../control/frame-stats.js';
import type { DrawingSurface } from '../control/protocol.js';
import type { ThreadOptions } from '../control/thread-options.js';
import type { LoadedFiles, LoadTools } from '../library-files/library-files.js';
import { GameFrames } from './game-frames.js';
import { PresentationCounter } from './presentation-counter.js';

interface RhiSideOptions {
  readonly surface: DrawingSurface | null;
  readonly options: ThreadOptions;
  /** The `FrameStat` block. The RHI thread writes its own part. */
  readonly stats: Float64Array;
  /** Event ring of the RHI thread. */
  readonly events: EventRing;
  readonly onError: (error: unknown) => void;
  readonly onReadback: (request: number, bytes: ArrayBuffer) => void;
  /** Receives executed commands as lines of text, with `options.isRhiTraced`. */
  readonly onTrace: (lines: string[]) => void;
  /** Called when the figures in `stats` have changed. */
  readonly onFrame: () => void;
}

export interface RhiSide {
  readonly executor: Executor;
  /** Fences of game frames, for the game. The render thread's gate waits for lists of the executor instead. */
  readonly frames: GameFrames;
  readonly capabilities: RhiCapabilities;
  /** Stream that the executor reads. Captures watch this stream, or the backend. */
  readonly reader: StreamReader;
  readonly gpuBackend: WebGpuBackend | null;
  /** Running captures and flight recorders, for `stats().memory`. */
  readonly recordings: { readonly byteLength: number }[];
  /** Maximum bytes of a capture's data. */
  readonly maximumCaptureBytes: number;
  /**
   * Releases everything whose last use has completed.
   * @param rhiBytes number of bytes of commands that must be executed first, however late they arrive
   */
  purge(rhiBytes: number): Promise<void>;
  /**
   * Passes the bytes of read-backs to `answer` instead of the main thread, if their number is at least `first`. The
   * next call replaces `answer`.
   */
  takeReadBacks(first: number, answer: (request: number, bytes: ArrayBuffer) => void): void;
  /** Measures GPU times of passes from now on, if the device can. */
  measureGpu(): void;
  /** Returns the latest GPU times of passes by their labels, in milliseconds. */
  passMilliseconds(): ReadonlyMap<string, number>;
  /** Destroys the device, to test the recovery. */
  loseDevice(): void;
  /**
   * Destroys everything, and returns a report of leaks. Returns null after a failure. Later destroy commands were then
   * not executed, so remaining resources need not be leaks.
   */
  shutDown(how?: RhiShutDown): Promise<LeakReport | null>;
}

interface RhiShutDown {
  /** Whether another RHI side follows on this thread. The device and the canvas's picture are then kept. */
  readonly isReplaced?: boolean;
  /**
   * Whether the recorder closes the stream. Commands before the close are then executed first. The close may
   * arrive after this call, because the stream and the call use different ports.
   */
  readonly awaitsEnd?: boolean;
}

/** An open device, for which `startRhiSide` can execute a stream. */
export interface OpenRhi {
  readonly device: GPUDevice | null;
  readonly capabilities: RhiCapabilities;
  /** Set if the options need a tool: the null backend, validation, a trace, or bypass. */
  readonly tools: LoadedFiles['tools'] | null;
}

/**
 * Opens the device for the RHI side. The RHI side (`startRhiSide`) then reads RHI command lists, executes them on a
 * backend, and reports figures, errors and read-backs to its owner.
 *
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`; ThreadError `features-missing`,
 *   `builds-differ`
 */
export async function openRhi(options: ThreadOptions, loadTools: LoadTools): Promise<OpenRhi> {
  const { validation, isRhiTraced, rhiBypass, backend, requiredFeatures, requiredLimits } = options;
  const needsTools = validation || isRhiTraced || rhiBypass || backend === 'null';
  const tools = needsTools ? await loadTools() : null;
  const hardware =
    tools && backend === 'null'
      ? { device: null, capabilities: tools.nullCapabilities() }
      : await openDevice(globalThis.navigator?.gpu, requiredFeatures, requiredLimits);
  return { ...hardware, tools };
}

/** Starts to execute the commands that arrive on `stream`. */
export function startRhiSide(opened: OpenRhi, stream: EndingReader, given: RhiSideOptions): RhiSide {
  const { device, capabilities, tools } = opened;
  const { surface, options, stats, events, onError, onFrame } = given;
  const { maxFramesInFlight, maximumReadBackBytes, maximumCaptureBytes } = options;
  /** Read-backs from this number on are passed to `answerTaken` instead of the main thread. */
  let firstTaken = Infinity;
  let answerTaken: RhiSideOptions['onReadback'] = () => {};
  const onReadback = (request: number, bytes: ArrayBuffer): void =>
    request >= firstTaken ? answerTaken(request, bytes) : given.onReadback(request, bytes);
  // Trace before validation, so that the lines include refused commands.
  if (options.isRhiTraced) tools?.traceStream(stream, given.onTrace);
  /** Number of bytes of executed commands, updated between frames. */
  const executed = new PrivateFence('executed bytes');
  /** Writes a figure. @returns whether it has changed */
  const note = (figure: number, value: number): boolean => {
    const hasChanged = stats[figure] !== value;
    stats[figure] = value;
    return hasChanged;
  };
  const recordings: RhiSide['recordings'] = [];
  /**
   * Writes the figures that can also change between frames. Called per frame and purge.
   * @returns whether any figure has changed
   */
  const noteResources = (): boolean => {
    let hasChanged = note(FrameStat.liveResources, executor.stats.liveResources);
    hasChanged = note(FrameStat.pendingReleases, executor.stats.pendingReleases) || hasChanged;
    let recorded = 0;
    for (const { byteLength } of recordings) recorded += byteLength;
    hasChanged = stats[MemoryStat.recordings] !== recorded || hasChanged;
    noteBytes(stats, 'recordings', recorded);
    const resources = webgpu()?.gpuBackend.resources;
    // The null backend has no memory.
    if (resources === undefined) return hasChanged;
    const { bytes, peaks, peakBytes } = resources.memory;
    for (const kind of GPU_MEMORY) {
      hasChanged = note(MemoryStat[kind], bytes[kind]) || hasChanged;
      hasChanged = note(MemoryPeak[kind], peaks[kind]) || hasChanged;
    }
    noteBytes(stats, 'lists', resources.recordBytes);
    return note(MemoryPeak.gpu, peakBytes) || hasChanged;
  };
  const executorOptions = {
    surface,
    maxFramesInFlight,
    maximumReadBackBytes,
    events,
    onError: (error: unknown): void => {
      // The error that ends the executor also fails its fences. The listeners of the fences report it.
      if (error !== executor.completed.error) onError(error);
    },
    onReadback,
    onFrame: (): void => {
      const figures = executor.stats;
      stats[FrameStat.rhiThreadMs] = figures.rhiThreadMs;
      stats[FrameStat.gpuMs] = figures.gpuMs ?? Number.NaN;
      stats[FrameStat.gpuAnswerMs] = webgpu()?.gpuBackend.work.latency ?? Number.NaN;
      stats[FrameStat.drawCalls] = figures.drawCalls;
      stats[FrameStat.instances] = figures.instances;
      stats[FrameStat.skippedDraws] = figures.skippedDraws + refusedDraws();
      stats[FrameStat.uploadBytes] = figures.uploadBytes;
      noteResources();
      counter.frameSubmitted(executor.submitted.value, figures.frame);
      onFrame();
    },
    onPurge: (): void => {
      executed.signal(stream.bytesRead);
      if (noteResources()) onFrame();
    },
  };
  const { executor, reader, refusedDraws } = composeExecution<Executor>(
    {
      reader: stream,
      capabilities,
      onError,
      onReadback,
      validation: options.validation ? tools?.validate : undefined,
    },
    (reader, errorScopes) =>
      device
        ? new WebGpuExecutor({ ...executorOptions, reader, device }, { isMeasured: false, errorScopes })
        : (tools as LoadedFiles['tools']).createNullExecutor({ ...executorOptions, reader }),
  );
  const webgpu = (): WebGpuExecutor | null => (executor instanceof WebGpuExecutor ? executor : null);
  const { requestAnimationFrame } = globalThis;
  const counter = new PresentationCounter(
    surface && requestAnimationFrame ? (callback) => requestAnimationFrame(callback) : null,
    events,
  );
  executor.completed.subscribe(() => {
    counter.frameCompleted(executor.completed.value);
    stats[FrameStat.presentedFrames] = counter.presentedFrames;
    if (executor.completed.error) executed.fail(executor.completed.error);
    onFrame();
  });
  // Subscribed later, so that the figures of a frame are sent before its signal.
  const frames = new GameFrames(executor, events);
  const side: RhiSide = {
    executor,
    frames,
    capabilities,
    reader,
    gpuBackend: webgpu()?.gpuBackend ?? null,
    recordings,
    maximumCaptureBytes,
    takeReadBacks: (first, answer) => {
      firstTaken = first;
      answerTaken = answer;
    },
    purge: async (rhiBytes) => {
      // The executor purges after each run of records. After a failure nothing is executed any more.
      await executed.whenReached(rhiBytes).catch(() => {});
      noteResources();
      onFrame();
    },
    measureGpu: () => webgpu()?.measureGpu(),
    passMilliseconds: () => webgpu()?.passMilliseconds ?? new Map(),
    loseDevice: () => device?.destroy(),
    shutDown: async ({ isReplaced = false, awaitsEnd = false } = {}) => {
      if (awaitsEnd) await stream.whenEnded();
      const hasFailed = executor.completed.error !== null;
      const report = await executor.dispose(isReplaced);
      if (!isReplaced) device?.destroy();
      return hasFailed ? null : report;
    },
  };
  return side;
}
