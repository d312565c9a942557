import type { ErrorData } from '../core/errors.js';
import type { RhiCapabilities } from '../rhi/descriptors.js';
import type { LeakReport } from '../rhi/executor.js';
import type { TracedSpans } from './frame-trace.js';

/**
 * What the main thread and the engine's workers say to each other beside the streams and fences. A worker's
 * first message is its `WorkerConfig`, with every port it needs. Calls go through comlink (`WorkerApi`, over the
 * control port); what a worker has to tell by itself goes over its *notice* port.
 */

/** Which part of the pipeline a worker runs. */
export type WorkerRole =
  /** Scene, recording and WebGPU (`render`). */
  | { readonly kind: 'render+rhi' }
  /** WebGPU alone; RHI commands come in through `rhiPort`, fences go out through `fencePort`. */
  | { readonly kind: 'rhi'; readonly rhiPort: MessagePort; readonly fencePort: MessagePort }
  /** Scene and recording alone, likewise. */
  | {
      readonly kind: 'render';
      readonly rhiPort: MessagePort;
      readonly fencePort: MessagePort;
      readonly capabilities: RhiCapabilities;
    };

export interface WorkerConfig {
  readonly role: WorkerRole;
  readonly backend: 'webgpu' | 'null';
  readonly canvas: OffscreenCanvas | null;
  readonly maxFramesInFlight: number;
  readonly sampleCount: 1 | 4;
  /** Whether streams and fences use shared memory. */
  readonly shared: boolean;
  /** Render commands from the game; absent in a worker that only runs the RHI. */
  readonly commandPort: MessagePort | null;
  /** Fences to the main thread. */
  readonly mainFencePort: MessagePort;
  readonly noticePort: MessagePort;
  readonly controlPort: MessagePort;
  /** The `FrameStat` block in shared memory; null: post copies. */
  readonly sharedStats: SharedArrayBuffer | null;
}

/** From a worker to the main thread. */
export type Notice =
  /** Ready to receive frames; or not, with the error as data, because a thrown one would lose class and code. */
  | { readonly kind: 'started'; readonly capabilities: RhiCapabilities }
  | { readonly kind: 'not-started'; readonly error: ErrorData }
  | { readonly kind: 'error'; readonly error: ErrorData }
  | { readonly kind: 'readback'; readonly request: number; readonly bytes: ArrayBuffer }
  | { readonly kind: 'stats'; readonly first: number; readonly figures: Float64Array };

export interface WorkerApi {
  /** Read to find out whether the worker's event loop turns. */
  readonly isAlive: true;
  /** Releases everything whose last use has completed. */
  purge(): Promise<void>;
  startTrace(): Promise<void>;
  stopTrace(): Promise<readonly TracedSpans[]>;
  shutDown(): Promise<LeakReport>;
}
