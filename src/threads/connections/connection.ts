import { PlatformError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import { requireCapabilities } from '../../rhi/commands/capabilities.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { PrivateFence } from '../../sync/fences/private-fence.js';
import type { ThreadControl } from '../control/thread-control.js';

/** Thread of the pipeline, by its name in messages. */
export type PipelineThread = 'render' | 'RHI';

/**
 * The main thread's view of the render and RHI threads, in any mode. `writer` sends render commands to these threads,
 * which send fences and figures back. `single-thread.ts` and `worker-connection.ts` create connections.
 */
export interface RenderConnection {
  readonly writer: StreamWriter;
  /** Last frame that the render thread has recorded. */
  readonly rendered: PrivateFence;
  /** Last frame that was submitted to the canvas. */
  readonly submitted: PrivateFence;
  /** Last frame that the GPU has completed. */
  readonly completed: PrivateFence;
  /**
   * Resolves when the threads can draw. Rejects with the reason if they did not start; the owner of the
   * connection must then end it. Commands may be written earlier.
   */
  readonly started: Promise<RhiCapabilities>;
  /** `null` until the threads have started. */
  readonly capabilities: RhiCapabilities | null;
  /** The `FrameStat` block. */
  readonly stats: Float64Array;
  /** Calls to the threads, outside of frames. */
  readonly control: ThreadControl;
  /**
   * Returns the header of a worker's event ring, from which `lastEvent` of core/events/event-reader reads the last
   * event that the worker began; undefined in `single` mode.
   */
  readonly lastEvent: (thread: PipelineThread) => Float64Array | undefined;
  /** The live workers, for a connection that takes over from this one; none in `single` mode. */
  readonly workers: KeptWorkers;
  /**
   * Takes the canvas now, before the worker that draws is ready. Does nothing in `single` mode, which has taken it.
   * @throws PlatformError `canvas-in-use`, `offscreen-canvas-missing`
   */
  takeCanvas(): void;
  /** Ends all threads of the connection at once, except workers that another connection has taken over. */
  end(kept?: KeptWorkers): void;
}

/** Workers that continue under another connection. */
export interface KeptWorkers {
  /** The worker that owns the canvas and the device. */
  readonly owner?: Worker | undefined;
  /** The render worker, if it is a separate one. */
  readonly other?: Worker | undefined;
}

/** State that a connection takes over from its predecessor. */
export interface Takeover {
  readonly workers: KeptWorkers;
  /** Capabilities of the previous device. */
  readonly capabilities: RhiCapabilities | null;
  /**
   * Awaited before a kept worker starts in its new role. The old connection stays unchanged until then.
   */
  readonly beforeReuse: () => Promise<void>;
}

/** The source of the canvas that a thread draws to. */
export interface CanvasSource {
  /**
   * Takes the canvas for drawing.
   * @param by called to take the canvas. If it returns null or throws a browser error, `canvas-in-use` is
   * thrown.
   * @throws PlatformError `canvas-in-use`, or a `FencepostError` that `by` throws; the canvas is then not taken
   */
  take<Taken>(by: (canvas: HTMLCanvasElement) => Taken | null): Taken;
}

/**
 * Takes the canvas for drawing on this thread. Returns null if the canvas has a context of another kind. Throws if
 * control over the canvas was transferred.
 */
export const takeContext = (canvas: HTMLCanvasElement): HTMLCanvasElement | null =>
  canvas.getContext('webgpu') && canvas;

/**
 * Transfers control over the canvas, for drawing on a worker.
 * @throws PlatformError `offscreen-canvas-missing`
 */
export function transferControl(canvas: HTMLCanvasElement): OffscreenCanvas {
  if ('transferControlToOffscreen' in canvas) return canvas.transferControlToOffscreen();
  throw new PlatformError(
    'offscreen-canvas-missing',
    "This browser can't hand a canvas to a worker: its canvases have no transferControlToOffscreen. Pass threading: 'single', or update the browser.",
  );
}

/**
 * Returns the device's capabilities if they include all that the page requires (SYSTEMS H10). A device that
 * replaces a lost one is checked too.
 * @throws PlatformError `capability-missing`
 */
export function checkRequired(capabilities: RhiCapabilities, { required }: ResolvedOptions): RhiCapabilities {
  if (required) requireCapabilities(capabilities, required.features, required.limits);
  return capabilities;
}

/**
 * Listeners of a connection. A connection is created before its engine. The engine's constructor then replaces
 * listeners, so a connection must look them up for each call.
 */
export interface ConnectionEvents {
  onError(error: unknown): void;
  onReadback(request: number, bytes: ArrayBuffer): void;
  /** Receives executed RHI commands as text, with the option `rhiTrace`. */
  onTrace(lines: readonly string[]): void;
  /** Returns the frame that the threads should deliver now; 0: none. */
  awaitedFrame(): number;
  /** Event ring of the main thread. */
  readonly ring: EventRing;
  /** Roles of the main thread. In `single` mode the render thread's work is one of them. */
  readonly roles: ThreadRoles;
}

/** Starts threads, and resolves with their connection. Its `started` resolves when the threads are ready. */
export type Connect = (
  surface: CanvasSource,
  options: ResolvedOptions,
  events: ConnectionEvents,
  before?: Takeover,
) => Promise<RenderConnection>;
