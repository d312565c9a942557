import type { ErrorData } from '../../core/errors.js';
import type { EventBatch, RingCursor } from '../../core/events/event-reader.js';
import type { GraphPicture } from '../../graph/description/graph-picture.js';
import type { ModulesConfig } from '../../render-modules/render-module-messages.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { LeakReport } from '../../rhi/execute/executor.js';
import type { FenceCarrier } from '../../sync/fences/fence-link.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { FencesConfig } from './fence-messages.js';
import type { ThreadOptions } from './thread-options.js';

/**
 * The control protocol: what the main thread and the engine's workers say to each other beside streams and fences.
 *
 *   main thread                                              worker
 *   WorkerConfig, with every port ─────────────────────────► starts its sides
 *                            ◄── noticePort: opened ───────  the device is there
 *   WorkerCanvas ──────────────────────────────────────────►
 *                            ◄── noticePort: started, or not-started
 *   noticePort: is-alive ──────────────────────────────────► answers `alive` by itself, also while it starts
 *   ThreadApi calls ◄══════════ controlPort, comlink ══════► answers
 *                            ◄── noticePort: errors, read-backs, figures
 *
 * Every question goes through `ThreadApi`, by comlink; in `single` mode the same object is called directly. A second `WorkerConfig` ends the sides that the first one started and starts new ones, on the same canvas,
 * and on the same device where that still works.
 */

/** A canvas that a thread may draw to; in a worker, one that was handed over. */
export type DrawingSurface = HTMLCanvasElement | OffscreenCanvas;

/** Memory and ports that connect the render thread's loops with helpers. Null memory: there are no helpers. */
export interface HelperPorts {
  readonly memory: SharedArrayBuffer | null;
  /** To the helpers, by number. */
  readonly ports: MessagePort[];
}

/** Name and port by which a thread of the engine serves tasks. */
export interface TaskThreadConfig {
  readonly name: AttachedName;
  readonly port: MessagePort;
}

/** Which part of the pipeline a worker runs. */
export type WorkerRole =
  /** Scene, recording and WebGPU (`render`). */
  | { readonly kind: 'render+rhi' }
  /** WebGPU alone; RHI commands come in through `rhiPort`, the count of completed lists goes out through `fences`. */
  | { readonly kind: 'rhi'; readonly rhiPort: MessagePort; readonly fences: FenceCarrier }
  /** Scene and recording alone; the two ports lead to the worker that runs WebGPU. */
  | {
      readonly kind: 'render';
      readonly rhiPort: MessagePort;
      readonly fences: FenceCarrier;
      readonly capabilities: RhiCapabilities;
    };

export interface WorkerConfig {
  /** Build of the main thread; a worker of another build refuses it (`core/build.ts`). */
  readonly build: string;
  readonly role: WorkerRole;
  readonly options: ThreadOptions;
  /**
   * Whether a canvas follows in a message of its own (`WorkerCanvas`), once the device is there: a canvas that was handed
   * over can't be taken back, and a start may fail. Otherwise the worker keeps the canvas that it has, if any.
   */
  readonly awaitsCanvas: boolean;
  /** Whether streams and fences use shared memory. */
  readonly shared: boolean;
  /** Render commands from the game; null in a worker that only runs the RHI. */
  readonly commandPort: MessagePort | null;
  /** Fences to the main thread. */
  readonly mainFences: FenceCarrier;
  readonly noticePort: MessagePort;
  readonly controlPort: MessagePort;
  /** The `FrameStat` block in shared memory; null: post copies. */
  readonly sharedStats: SharedArrayBuffer | null;
  /** The thread's event ring in shared memory; null: the worker makes one that only it can read. */
  readonly sharedEvents: SharedArrayBuffer | null;
  /** Address of `worker-tools.js`; empty where the page does not know it. */
  readonly toolsUrl: string;
}

/** The answer to the notice `opened`. */
export interface WorkerCanvas {
  readonly canvas: OffscreenCanvas;
}

/** From the main thread to a worker, by the port of its notices. */
export type WorkerRequest =
  /** Answered by `alive`. */
  'is-alive';

/** From a worker to the main thread. */
export type Notice =
  /** The device is there, and the canvas awaited. */
  | { readonly kind: 'opened'; readonly build: string }
  /** Ready to receive frames; or not, with the error as data, because a thrown one would lose class and code. */
  | { readonly kind: 'started'; readonly build: string; readonly capabilities: RhiCapabilities }
  | { readonly kind: 'not-started'; readonly error: ErrorData }
  | { readonly kind: 'error'; readonly error: ErrorData }
  /** It is busy with a load, and lives: sent from within a long task. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'readback'; readonly request: number; readonly bytes: ArrayBuffer }
  /** Per frame, where memory is not shared; `last` is for `lastEvent`. */
  | {
      readonly kind: 'stats';
      readonly first: number;
      readonly figures: Float64Array;
      readonly last: Float64Array;
    };

export interface ShutDownReport extends LeakReport {
  /** It has recorded, and closed the RHI stream behind its last destroy. */
  readonly closesStream: boolean;
}

/**
 * Calls that a thread behind the main thread answers. A call that is another thread's to answer returns null or does nothing.
 * `TOOL_CALLS` lists the calls that take `worker-tools.js`.
 */
export interface ThreadApi {
  /** Records deletes that would wait for further frames (render thread). Answers with bytes of RHI commands so far. */
  recordDeletes(): Promise<number>;
  /**
   * Releases everything whose last use has completed (RHI thread).
   * @param rhiBytes of RHI commands that are executed first
   */
  purge(rhiBytes: number): Promise<void>;
  /**
   * Destroys everything, and answers with what was still alive.
   * @param isStreamClosed of the RHI thread: the render thread has closed the RHI stream, however late that arrives
   */
  shutDown(isStreamClosed: boolean): Promise<ShutDownReport>;
  /** Destroys the device, for tests of what follows. */
  loseDevice(): Promise<void>;
  /** Events that the thread has noted since `place`; null: all that its ring holds. */
  readEvents(place: RingCursor | null): Promise<EventBatch>;
  /** Measures GPU times from now on, where the device can. */
  measureGpu(): Promise<void>;
  /** RHI thread: latest GPU times of passes by their labels, in milliseconds; from `measureGpu` on, if the device can measure. */
  gpuPassTimes(): Promise<ReadonlyMap<string, number> | null>;
  /**
   * Render thread: writes counts per view into the shared memory with each list from now on, or posts them to the
   * port where they have changed. See `render/picture/view-figures.ts`.
   */
  followViews(shared: SharedArrayBuffer | null, port: MessagePort | null): Promise<void>;
  /**
   * RHI thread: a canvas that frames may draw to, by its number.
   * @param canvas null: the one that the thread was given under this number before
   */
  giveSurface(surface: number, canvas: DrawingSurface | null): Promise<void>;
  /** RHI thread: frames no longer draw to the canvas. */
  dropSurface(surface: number): Promise<void>;
  /** Render thread: the frame graph of the last frame. */
  describeGraph(): Promise<GraphPicture>;
  startCapture(): Promise<void>;
  stopCapture(): Promise<ArrayBuffer | null>;
  /** Keeps the last frames from here on. */
  startRecording(framesPerKeyframe: number): Promise<void>;
  takeRenderCommands(): Promise<Uint32Array<ArrayBuffer> | null>;
  /** @param renderCommands what `takeRenderCommands` gave */
  writeRecording(renderCommands: Uint32Array | null): Promise<ArrayBuffer | null>;
  /** Render thread: joins the page's fences. @param rhi to the RHI thread; null where that is this one */
  connectFences(config: FencesConfig, rhi: MessagePort | null): Promise<void>;
  /** RHI thread: takes the other end of the port of `connectFences`. */
  serveFences(config: FencesConfig, render: MessagePort): Promise<void>;
  /** Render thread: culls in groups from now on, with these helpers. */
  connectHelpers(config: HelperPorts): Promise<void>;
  /** Runs tasks that are sent to this thread by its name. */
  serveTasks(config: TaskThreadConfig): Promise<void>;
  /** Render thread: opens it for render modules. @param rhi to the RHI thread; null where that is this one */
  connectModules(config: ModulesConfig, rhi: MessagePort | null): Promise<void>;
  /** RHI thread: takes the other end of the port of `connectModules`. */
  serveRhiPoints(render: MessagePort): Promise<void>;
}
