import type { StreamWriter } from '../core/stream.js';
import type { RhiCapabilities } from '../rhi/descriptors.js';
import type { LeakReport } from '../rhi/executor.js';
import type { Fence } from '../sync/fence.js';
import type { ResolvedOptions } from './engine-options.js';
import type { TracedSpans } from './frame-trace.js';
import type { Surface } from './surface.js';

/**
 * The main thread's view of everything behind it, whichever threads that is: the stream of render commands
 * going out, fences and figures coming back. Made by `single-thread.ts` or `worker-connection.ts`.
 */
export interface RenderConnection {
  readonly writer: StreamWriter;
  /** Last frame the render thread has recorded. */
  readonly rendered: Fence;
  /** Last frame that was submitted to the canvas. */
  readonly submitted: Fence;
  /** Last frame the GPU has completed. */
  readonly completed: Fence;
  readonly capabilities: RhiCapabilities;
  /** `FrameStat` block. */
  readonly stats: Float64Array;
  /** What is asked beside the frames; loaded when it is first needed. */
  readonly control: () => Promise<ThreadControl>;
  /** Ends everything behind the main thread, at once. */
  end(): void;
}

export interface ThreadControl {
  /** Releases everything whose last use has completed. */
  purge(): Promise<void>;
  startTrace(): Promise<void>;
  stopTrace(): Promise<readonly TracedSpans[]>;
  startCapture(): Promise<void>;
  /** The file; null where no thread has captured. */
  stopCapture(): Promise<ArrayBuffer | null>;
  /** Keeps the last frames of both streams from here on. */
  startRecording(framesPerKeyframe: number): Promise<void>;
  writeRecording(): Promise<ArrayBuffer | null>;
  /** Destroys everything, and reports what was still alive. */
  shutDown(): Promise<LeakReport>;
}

export interface ConnectionEvents {
  readonly onError: (error: unknown) => void;
  readonly onReadback: (request: number, bytes: ArrayBuffer) => void;
  /** The frame that is expected of the threads now; 0: none. */
  readonly awaitedFrame: () => number;
}

export type Connect = (
  surface: Surface,
  options: ResolvedOptions,
  events: ConnectionEvents,
) => Promise<RenderConnection>;
