import { PlatformError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import { requireCapabilities } from '../../rhi/commands/capabilities.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { PrivateFence } from '../../sync/fences/private-fence.js';
import type { ThreadControl } from '../control/thread-control.js';

/** Which thread of the pipeline: as in messages. */
export type PipelineThread = 'render' | 'RHI';

/**
 * The main thread's view of everything behind it, whichever threads that is: the stream of render commands
 * going out, fences and figures coming back. Made by `single-thread.ts` or `worker-connection.ts`.
 */
export interface RenderConnection {
  readonly writer: StreamWriter;
  /** Last frame the render thread has recorded. */
  readonly rendered: PrivateFence;
  /** Last frame that was submitted to the canvas. */
  readonly submitted: PrivateFence;
  /** Last frame the GPU has completed. */
  readonly completed: PrivateFence;
  /**
   * Resolves when the threads can draw; rejects with why they did not start, and whoever made the connection ends it then.
   * Commands may be written before.
   */
  readonly started: Promise<RhiCapabilities>;
  /** `null` until the threads have started. */
  readonly capabilities: RhiCapabilities | null;
  /** `FrameStat` block. */
  readonly stats: Float64Array;
  /** Questions to the threads beside the frames. */
  readonly control: ThreadControl;
  /** The event that a worker began last, for `lastEvent` of core/event-reader; none in `single` mode. */
  readonly lastEvent: (thread: PipelineThread) => Float64Array | undefined;
  /** The workers that live, for a connection that takes over from this one; none in `single` mode. */
  readonly workers: KeptWorkers;
  /** Takes the canvas now rather than when its thread is ready. @throws PlatformError `canvas-in-use` */
  takeCanvas(): void;
  /** Ends everything behind the main thread, at once, but the workers that another connection has taken over. */
  end(kept?: KeptWorkers): void;
}

/** Workers that go on under another connection. */
export interface KeptWorkers {
  /** The one that owns canvas and device. */
  readonly owner?: Worker | undefined;
  /** The render worker beside it. */
  readonly other?: Worker | undefined;
}

/** State that a connection takes over from the one before it. */
export interface Takeover {
  readonly workers: KeptWorkers;
  /** Capabilities of the device before. */
  readonly capabilities: RhiCapabilities | null;
  /** Awaited before the first worker that is kept is told to start anew: nothing of the old is touched until then. */
  readonly beforeReuse: () => Promise<void>;
}

/** Gives the canvas to whoever draws. */
export interface CanvasSource {
  /**
   * Takes the canvas for drawing.
   * @param by how; null, or an error of the browser's, means that somebody else has it
   * @throws PlatformError `canvas-in-use`, or what `by` throws of ours; the canvas is left as it is
   */
  take<Taken>(by: (canvas: HTMLCanvasElement) => Taken | null): Taken;
}

/** For drawing on this thread: null where there is a context of another kind; throws where control was handed over. */
export const takeContext = (canvas: HTMLCanvasElement): HTMLCanvasElement | null =>
  canvas.getContext('webgpu') && canvas;

/** For drawing on a worker. @throws PlatformError `offscreen-canvas-missing` */
export function transferControl(canvas: HTMLCanvasElement): OffscreenCanvas {
  if ('transferControlToOffscreen' in canvas) return canvas.transferControlToOffscreen();
  throw new PlatformError(
    'offscreen-canvas-missing',
    "This browser can't hand a canvas to a worker: its canvases have no transferControlToOffscreen. Pass threading: 'single', or update the browser.",
  );
}

/**
 * Returns what the device can do, where that is all that the page requires (SYSTEMS H10): also of one that takes the place of
 * a lost one. @throws PlatformError `capability-missing`
 */
export function checkRequired(capabilities: RhiCapabilities, { required }: ResolvedOptions): RhiCapabilities {
  if (required) requireCapabilities(capabilities, required.features, required.limits);
  return capabilities;
}

/** Listeners of a connection. Connections are made before there is an engine to hear them, so the listeners may change. */
export interface ConnectionEvents {
  onError(error: unknown): void;
  onReadback(request: number, bytes: ArrayBuffer): void;
  /** The frame that is expected of the threads now; 0: none. */
  awaitedFrame(): number;
  /** Event ring of the main thread. */
  readonly ring: EventRing;
  /** In force on the main thread; in `single` mode the render thread's work is a role of it. */
  readonly roles: ThreadRoles;
}

/** Starts threads. Resolves with their connection at once; `started` tells when they are ready. */
export type Connect = (
  surface: CanvasSource,
  options: ResolvedOptions,
  events: ConnectionEvents,
  before?: Takeover,
) => Promise<RenderConnection>;
