/**
 * An executor turns RHI command lists into calls of a backend, on the thread that owns the device. It never
 * blocks: where it must wait (frames in flight, pipelines) it returns, and goes on at the event.
 *
 *   submitted   1────2────3────4          the number of lists given to the GPU: list k signals k + 1
 *   completed        1────2────3          the number of lists the GPU has finished
 *
 * Numbers as SYSTEMS L1 says: a number is published after `submit` returned, a resource released before the
 * submission of list k is paired with k and freed when k < completed. A frame is one list; so is what the GPU is given
 * between two frames.
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

/** The figures of one frame. The object is re-used from frame to frame: copy what must last. */
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
    /** Released, but perhaps still in use by the GPU. */
    pendingReleases: 0,
    /** Of those, bind groups, their layouts and samplers, which have a queue of their own. */
    pendingDescriptors: 0,
    /** Time spent executing and submitting, waits excluded, in milliseconds. */
    rhiThreadMs: 0,
    /** GPU time from the first pass's begin to the last one's end in the latest frame measured; null: not known. */
    gpuMs: null as number | null,
  };
}

export interface Leak {
  /** 'buffer', 'texture' … */
  readonly kind: string;
  readonly label: string;
  readonly createdInFrame: number;
}

/** What was alive when the executor was disposed of (SYSTEMS L9). */
export interface LeakReport {
  readonly leaks: readonly Leak[];
}

/**
 * Called at its place in the list, on the device's thread. What was recorded before it has been submitted.
 * @param data a copy, the callee's to keep
 * @param device null on the null backend
 */
export type LocalCommand = (data: Uint8Array, device: GPUDevice | null) => void;

export interface ExecutorOptions {
  readonly reader: StreamReader;
  /** Where `beginDrawingViewport` draws; null: into a texture nobody sees. */
  readonly surface: OffscreenCanvas | HTMLCanvasElement | null;
  readonly maxFramesInFlight: number;
  /** Where it notes what it does and when; default: a ring of its own. */
  readonly events?: EventRing;
  readonly onError: (error: unknown) => void;
  /** @param cause why there are no bytes, where no reported error says it */
  readonly onReadback: (request: number, bytes: ArrayBuffer, cause?: FencepostError) => void;
  /** Told to whoever still records once the executor is disposed of; default: that the stream was closed. */
  readonly closeReason?: () => Error;
  /** A frame was submitted. */
  readonly onFrame?: (stats: RhiFrameStats) => void;
  /**
   * Behind a frame's end, what the GPU no longer uses was freed: `stats.liveResources` and `pendingReleases` may have changed.
   * Everything that has arrived before was executed, unless it waits.
   */
  readonly onPurge?: () => void;
  /** The GPU has finished it. */
  readonly onFrameCompleted?: (frame: number) => void;
  /** By name; entries may be added while the executor runs. */
  readonly localCommands?: ReadonlyMap<string, LocalCommand>;
  /** Receives what `outputVideoFrame` asked for. The frame is the receiver's: close it. */
  readonly onVideoFrame?: (request: number, frame: VideoFrame) => void;
}

export interface Executor {
  /** Executes what has arrived, as far as it may. Called by itself when something arrives; calling it is harmless. */
  pump(): void;
  readonly submitted: WaitableFence;
  readonly completed: WaitableFence;
  /** Of those, how many were frames: for who counts the frames that it records. */
  readonly completedFrames: WaitableFence;
  readonly stats: RhiFrameStats;
  /**
   * The fence behind a handle, so that the CPU can wait for it and signal it. It exists once its `createFence` has
   * been executed, and fails when it is destroyed, the device is lost, or the executor disposed of.
   * @throws RhiError `stale-handle`
   */
  fence(handle: FenceHandle): SignallableFence;
  /**
   * Lets commands with this handle signal and wait for a fence of another owner, which outlives the handle and the
   * executor. Call it before the handle's `createFence` is executed; its first value then does not count.
   * `connectFences` is the way to share fences between threads and devices.
   * @throws RhiError `fence-exists`
   */
  bindFence(handle: FenceHandle, fence: QueuedFence): void;
  /**
   * What stands before it has refused a draw or dispatch of the pass that is open: reads of what that would have written
   * are refused from now on.
   */
  workRefused(): void;
  /** Resolves when no pipeline is being created. */
  whenPipelinesReady(): Promise<void>;
  /** Frees what the GPU no longer uses. Done by itself each frame and at each completion. */
  purge(): void;
  /** Stops, frees everything, and reports what nobody had destroyed. */
  dispose(keepsSurface?: boolean): LeakReport;
}
