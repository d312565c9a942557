import type { ErrorData } from '../../core/errors.js';
import type { EventBatch, RingCursor } from '../../core/events/event-reader.js';
import type { GraphPicture } from '../../graph/description/graph-picture.js';
import type { ModulesConfig } from '../../render-modules/render-module-messages.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { Leak } from '../../rhi/execute/executor.js';
import type { FenceCarrier } from '../../sync/fences/fence-link.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { TaskMemoryShape } from '../../tasks/task-messages.js';
import type { FencesConfig } from './fence-messages.js';
import type { ThreadOptions } from './thread-options.js';

/** A canvas that a thread may draw to. In a worker, control over the canvas was transferred. */
export type DrawingSurface = HTMLCanvasElement | OffscreenCanvas;

/** The connection of the render thread's loops with the pool's workers, which help to execute the loops. */
export interface HelperPool {
  /** Memory of the loops. */
  readonly memory: SharedArrayBuffer;
  /** The pool's own memory, through which its workers are woken. */
  readonly pool: { readonly buffer: SharedArrayBuffer; readonly shape: TaskMemoryShape };
  /** Number of workers that may take part at the same time. */
  readonly takers: number;
  /** The option `recordingTasks`. */
  readonly recordingTasks: number;
  /** Port to the page, which passes memories on to the workers. */
  readonly port: MessagePort;
}

/** Name of a thread of the engine, and the port through which it receives tasks. */
export interface TaskThreadConfig {
  readonly name: AttachedName;
  readonly port: MessagePort;
}

/** The part of the pipeline that a worker runs. */
export type WorkerRole =
  /** Scene, recording and WebGPU: the pipeline's only worker in the threading mode `render`. */
  | { readonly kind: 'render+rhi' }
  /**
   * Only WebGPU. RHI commands arrive through `rhiPort`, and the count of completed command lists is sent
   * through `fences`.
   */
  | { readonly kind: 'rhi'; readonly rhiPort: MessagePort; readonly fences: FenceCarrier }
  /** Only scene and recording. The two ports lead to the worker that runs WebGPU. */
  | {
      readonly kind: 'render';
      readonly rhiPort: MessagePort;
      readonly fences: FenceCarrier;
      readonly capabilities: RhiCapabilities;
    };

/**
 * The first message to a worker: its role, and every port. It begins the control protocol between the main thread and
 * the engine's workers. Commands and fence values do not use this protocol.
 *
 *   main thread                                              worker
 *   WorkerConfig, with every port ─────────────────────────► starts its role
 *                            ◄── noticePort: opened ───────  the device is open
 *   WorkerCanvas ──────────────────────────────────────────►
 *                            ◄── noticePort: started, or not-started
 *   noticePort: is-alive ──────────────────────────────────► answers `alive`, even while it starts
 *   ThreadApi calls ◄══════════ controlPort, comlink ══════► answers
 *                            ◄── noticePort: errors, read-backs
 *                            ◄── mainFences: figures of a frame, then its signals
 *
 * All calls are methods of `ThreadApi`, by comlink; `single` mode calls the same object directly. A later
 * `WorkerConfig` ends the previous role, and starts the new role on the same canvas. The device is kept if it still
 * works.
 */
export interface WorkerConfig {
  /** Build of the main thread. A worker of another build rejects it (`core/build.ts`). */
  readonly build: string;
  readonly role: WorkerRole;
  readonly options: ThreadOptions;
  /**
   * Whether a canvas follows in a message of its own (`WorkerCanvas`), once the device is open. The transfer
   * of a canvas cannot be undone, and a start may fail, so the canvas comes last. If false, the worker keeps
   * the canvas that it has, if any.
   */
  readonly awaitsCanvas: boolean;
  /** Whether streams and fences use shared memory. */
  readonly shared: boolean;
  /** Render commands from the game; null in a worker that runs only the RHI. */
  readonly commandPort: MessagePort | null;
  /** Fences to the main thread. */
  readonly mainFences: FenceCarrier;
  readonly noticePort: MessagePort;
  readonly controlPort: MessagePort;
  /** The `FrameStat` block in shared memory; null: copies are posted. */
  readonly sharedStats: SharedArrayBuffer | null;
  /** The thread's event ring in shared memory; null: the worker creates a ring that no other thread reads. */
  readonly sharedEvents: SharedArrayBuffer | null;
  /** Address of `worker-tools.js`; empty if the page does not know it. */
  readonly toolsUrl: string;
}

/** The answer to the notice `opened`. */
export interface WorkerCanvas {
  readonly canvas: OffscreenCanvas;
}

/** Messages from the main thread to a worker, through the port of its notices. */
export type WorkerRequest =
  /** Asks for the notice `alive`. */
  'is-alive';

/** Messages from a worker to the main thread. */
export type Notice =
  /** The device is open, and the worker waits for the canvas. */
  | { readonly kind: 'opened'; readonly build: string }
  /** The worker is ready to receive frames. */
  | { readonly kind: 'started'; readonly build: string; readonly capabilities: RhiCapabilities }
  /** The worker has failed to start. Errors are sent as data, because a thrown error would lose class and code. */
  | { readonly kind: 'not-started'; readonly error: ErrorData }
  | { readonly kind: 'error'; readonly error: ErrorData }
  /** The worker is busy, but alive. It sends this notice from within a long task. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'readback'; readonly request: number; readonly bytes: ArrayBuffer }
  /** RHI commands as text, just before they are executed. */
  | { readonly kind: 'rhi-trace'; readonly lines: readonly string[] }
  /**
   * Sent per frame, if memory is not shared, over the port of the fences: so the figures of a frame arrive before its
   * signals. `last` is the header of the event ring, for `lastEvent`.
   */
  | {
      readonly kind: 'stats';
      readonly first: number;
      readonly figures: Float64Array;
      readonly last: Float64Array;
    };

export interface ShutDownReport {
  /** Leaks that the RHI thread has found; null if this thread does not run the RHI, or if the device was lost. */
  readonly executed: readonly Leak[] | null;
  /**
   * Resources for which the render thread has recorded no destroy command; null if this thread is not the render
   * thread.
   */
  readonly recorded: readonly Leak[] | null;
  /** Whether this is the render thread, which has closed the RHI stream after its last destroy command. */
  readonly closesStream: boolean;
}

/**
 * Calls that the render and RHI threads answer. A call that concerns only the other thread does nothing, and returns an
 * empty result. `TOOL_CALLS` lists the calls that need `worker-tools.js`.
 */
export interface ThreadApi {
  /**
   * Render thread: records deletes that would otherwise wait for later frames. Returns the number of bytes of
   * RHI commands so far.
   */
  recordDeletes(): Promise<number>;
  /**
   * RHI thread: releases everything whose last use has completed.
   * @param rhiBytes number of bytes of RHI commands that must be executed first
   */
  purge(rhiBytes: number): Promise<void>;
  /**
   * Destroys everything, and returns a report of leaks.
   * @param isStreamClosed for the RHI thread: true if the render thread has closed the RHI stream, although the end of
   * the stream may not have arrived yet
   */
  shutDown(isStreamClosed: boolean): Promise<ShutDownReport>;
  /** Destroys the device, to test the recovery. */
  loseDevice(): Promise<void>;
  /** Returns the events since the position `place`, or all events in the ring if it is null. */
  readEvents(place: RingCursor | null): Promise<EventBatch>;
  /** Measures GPU times from now on, if the device can. */
  measureGpu(): Promise<void>;
  /**
   * RHI thread: returns the latest GPU times of passes by their labels, in milliseconds. There are none
   * before `measureGpu`, or if the device cannot measure.
   */
  gpuPassTimes(): Promise<ReadonlyMap<string, number> | null>;
  /**
   * Render thread: from now on, writes counts per view into the shared memory with each command list. Without shared
   * memory, posts changed counts to the port. See `render/picture/view-figures.ts`.
   */
  followViews(shared: SharedArrayBuffer | null, port: MessagePort | null): Promise<void>;
  /**
   * RHI thread: registers a canvas under the number `surface`, so that frames may draw to it.
   * @param canvas null selects the canvas that the thread received earlier under this number
   */
  giveSurface(surface: number, canvas: DrawingSurface | null): Promise<void>;
  /** RHI thread: removes the canvas. Frames no longer draw to it. */
  dropSurface(surface: number): Promise<void>;
  /** Render thread: returns the frame graph of the last frame. */
  describeGraph(): Promise<GraphPicture>;
  startCapture(): Promise<void>;
  stopCapture(): Promise<ArrayBuffer | null>;
  /** Begins to keep the last frames, for `writeRecording`. */
  startRecording(framesPerKeyframe: number): Promise<void>;
  takeRenderCommands(): Promise<Uint32Array<ArrayBuffer> | null>;
  /** RHI thread: returns the flight recorder's file. @param renderCommands result of `takeRenderCommands` */
  writeRecording(renderCommands: Uint32Array | null): Promise<ArrayBuffer | null>;
  /** Render thread: joins the page's fences. @param rhi port to the RHI thread; null if it is this thread */
  connectFences(config: FencesConfig, rhi: MessagePort | null): Promise<void>;
  /** RHI thread: receives the other end of the port of `connectFences`. */
  serveFences(config: FencesConfig, render: MessagePort): Promise<void>;
  /**
   * Render thread: from now on, culls groups of primitives, and shares its loops with the helpers.
   * @param helpers null without shared memory or workers; the render thread then culls the groups alone
   */
  connectHelpers(helpers: HelperPool | null): Promise<void>;
  /** Runs tasks that are sent to this thread by its name. */
  serveTasks(config: TaskThreadConfig): Promise<void>;
  /**
   * Render thread: accepts render modules from now on.
   * @param rhi port to the RHI thread; null if it is this thread
   */
  connectModules(config: ModulesConfig, rhi: MessagePort | null): Promise<void>;
  /** RHI thread: receives the other end of the port of `connectModules`. */
  serveRhiPoints(render: MessagePort): Promise<void>;
}
