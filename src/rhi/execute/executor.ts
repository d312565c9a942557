/**
 * An executor turns RHI command lists into calls of a backend, on the thread that owns the device. It never blocks: if
 * it must wait (frames in flight, pipelines), it returns, and continues when the wait ends.
 *
 *   submitted   1────2────3────4          the number of lists submitted to the GPU: list k signals k + 1
 *   completed        1────2────3          the number of lists that the GPU has finished
 *
 * Numbers follow SYSTEMS L1. A number is published after `submit` has returned. A resource released before the
 * submission of list k is paired with k, and freed when k < completed. A frame is one list. Commands between two frames
 * are a list too, unless none of them reaches the GPU.
 *
 *   list             frame 0 │ a read-back │ frame 1 │ frame 2
 *   completed              1             2         3         4
 *   completedFrames        1             1         2         3
 */
import type { FencepostError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import type { StreamReader } from '../../core/streams/stream.js';
import type { QueuedFence } from '../../sync/fences/fence-queue.js';
import type { SignallableFence, WaitableFence } from '../../sync/waitable.js';
import type { FenceHandle } from '../commands/descriptors.js';
import type { Leak } from '../record/handle-allocator.js';

export type { Leak } from '../record/handle-allocator.js';

/** Statistics of one frame. The object is reused from frame to frame: copy the values to keep them. */
export type RhiFrameStats = ReturnType<typeof emptyFrameStats>;

export function emptyFrameStats() {
  return {
    frame: 0,
    drawCalls: 0,
    instances: 0,
    /** Draws and dispatches left out because a resource or pipeline was missing, not ready, or failed. */
    skippedDraws: 0,
    /** Bytes written to buffers and textures. */
    uploadBytes: 0,
    liveResources: 0,
    /** Destroyed resources that are not freed yet, because the GPU may still use them. */
    pendingReleases: 0,
    /** The bind groups, bind group layouts and samplers among `pendingReleases`, which have a queue of their own. */
    pendingDescriptors: 0,
    /** Time spent executing and submitting, waits excluded, in milliseconds. */
    rhiThreadMs: 0,
    /**
     * GPU time of the latest measured frame in milliseconds; null if it is unknown. The time runs from the start of the
     * frame's first pass to the end of its last pass.
     */
    gpuMs: null as number | null,
  };
}

/** Resources that were alive when the executor was disposed of (SYSTEMS L9). */
export interface LeakReport {
  readonly leaks: readonly Leak[];
  /** Names of threads that had died, so that their leaks are unknown. Missing if no thread had died. */
  readonly unreported?: readonly string[];
}

/**
 * A function that the command `localCommand` calls on the device's thread. All commands before it have been submitted.
 * @param data a copy, which the function may keep
 * @param device null on the null backend
 */
export type LocalCommand = (data: Uint8Array, device: GPUDevice | null) => void;

export interface ExecutorOptions {
  readonly reader: StreamReader;
  /** Canvas that `beginDrawingViewport` draws to. Null draws to an invisible texture. */
  readonly surface: OffscreenCanvas | HTMLCanvasElement | null;
  readonly maxFramesInFlight: number;
  /** Ring buffer for timeline events. Default: the executor creates one. */
  readonly events?: EventRing;
  readonly onError: (error: unknown) => void;
  /**
   * Receives the bytes of a read-back.
   * @param cause reason for missing bytes, if `onError` does not receive it
   */
  readonly onReadback: (request: number, bytes: ArrayBuffer, cause?: FencepostError) => void;
  /**
   * Returns the error that writers throw after the executor's disposal. Default: an error that the stream was closed.
   */
  readonly closeReason?: () => Error;
  /** Called when a frame has been submitted. */
  readonly onFrame?: (stats: RhiFrameStats) => void;
  /**
   * Called after resources that the GPU no longer uses were freed. `stats.liveResources` and `pendingReleases` may have
   * changed. All records that arrived before the call have been executed, unless a record waits.
   */
  readonly onPurge?: () => void;
  /** Called when the GPU has finished the frame. */
  readonly onFrameCompleted?: (frame: number) => void;
  /** Local commands by name; entries may be added while the executor runs. */
  readonly localCommands?: ReadonlyMap<string, LocalCommand>;
  /** Receives the frames that `outputVideoFrame` asks for. The receiver owns the frame and has to close it. */
  readonly onVideoFrame?: (request: number, frame: VideoFrame) => void;
}

export interface Executor {
  /**
   * Executes the records that have arrived, as far as possible. The executor calls `pump` itself when records arrive;
   * further calls do no harm.
   */
  pump(): void;
  readonly submitted: WaitableFence;
  readonly completed: WaitableFence;
  /** Fence whose value is the number of completed frames, without the lists between frames. */
  readonly completedFrames: WaitableFence;
  readonly stats: RhiFrameStats;
  /**
   * Returns the fence of a handle, so that the CPU can wait for it and signal it. The fence exists once its
   * `createFence` has been executed. It fails when it is destroyed, the device is lost, or the executor is disposed of.
   * A bound fence (`bindFence`) is detached from the executor instead.
   * @throws RhiError `stale-handle`, `wrong-handle-kind`
   */
  fence(handle: FenceHandle): SignallableFence;
  /**
   * Binds a handle to a fence of another owner, so that commands signal and wait for that fence. The fence outlives the
   * handle and the executor. Call it before the handle's `createFence` is executed; the initial value of `createFence`
   * is ignored. `connectFences` shares fences between threads and devices.
   * @throws RhiError `fence-exists`
   */
  bindFence(handle: FenceHandle, fence: QueuedFence): void;
  /**
   * Notes that validation has refused a draw or dispatch of the open pass. Later reads of the pass's results are then
   * refused.
   */
  workRefused(): void;
  /** Resolves when no pipeline is being created. */
  whenPipelinesReady(): Promise<void>;
  /** Frees resources that the GPU no longer uses. The executor calls it each frame and at each completion. */
  purge(): void;
  /** Ends execution, frees all resources, and reports those that were never destroyed. */
  dispose(keepsSurface?: boolean): LeakReport;
}
