import type { ErrorData } from '../../core/errors.js';
import type { EventBatch, EventPlace } from '../../core/event-reader.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { ModulesConfig } from '../modules/render-module-messages.js';

/**
 * What the main thread and the engine's workers say to each other beside the streams and fences. A worker's
 * first message is its `WorkerConfig`, with every port it needs. A second one ends what the first had started and
 * starts anew, on the same canvas, and on the same device where that is still good. The few calls that it answers by itself are messages
 * as well (`WorkerRequest`); all others go through comlink (`WorkerApi`, over the control port), whose two ends are
 * loaded with the first of them. What a worker has to tell goes over its *notice* port.
 */

/** Which part of the pipeline a worker runs. */
export type WorkerRole =
  /** Scene, recording and WebGPU (`render`). */
  | { readonly kind: 'render+rhi' }
  /** WebGPU alone; RHI commands come in through `rhiPort`, the count of completed lists goes out through `fencePort`. */
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
  /**
   * Whether a canvas follows in a message of its own (`WorkerCanvas`), once the device is there: one that was handed over
   * can't be taken back, and a start may fail. Else the worker keeps the canvas that it has, if any.
   */
  readonly awaitsCanvas: boolean;
  readonly maxFramesInFlight: number;
  readonly sampleCount: 1 | 4;
  /** WGSL; empty: none. */
  readonly toneCurve: string;
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
  /** The thread's event ring in shared memory; null: it makes one that only it can read. */
  readonly sharedEvents: SharedArrayBuffer | null;
  readonly validation: boolean;
  /** How long a stream may wait for an attachment: see the option `watchdog`. */
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  /** Where the files are that it loads on demand. */
  readonly partUrls: Readonly<Record<WorkerPart, string>>;
}

/** The answer to the notice `opened`. */
export interface WorkerCanvas {
  readonly canvas: OffscreenCanvas;
}

/** Names (`Symbol.for`) under which a worker finds what such a file offers: bundlers drop its exports. */
export const WORKER_PARTS = { features: 'fencepost.features', images: 'fencepost.images' } as const;
/** `worker-features.js`, `worker-images.js`. */
export type WorkerPart = keyof typeof WORKER_PARTS;

/** What a worker answers by itself; for all else it is asked to open its control port first. */
export type BasicCall =
  /** Its event loop turns. */
  | 'isAlive'
  /** Releases everything whose last use has completed. */
  | 'purge'
  /** Destroys everything, and answers with a `LeakReport`. */
  | 'shutDown'
  /** Destroys the device, for tests of what follows. */
  | 'loseDevice'
  /** Measures GPU times from now on, where its device can; answers when what it needs for that is loaded. */
  | 'measureGpu'
  | 'openControl';

/** To a worker that was sent its configuration; answered by a notice with the same id. */
export interface WorkerRequest {
  readonly id: number;
  readonly call: BasicCall;
}

/** From a worker to the main thread. */
export type Notice =
  /** The device is there, and the canvas awaited. */
  | { readonly kind: 'opened' }
  /** Ready to receive frames; or not, with the error as data, because a thrown one would lose class and code. */
  | { readonly kind: 'started'; readonly capabilities: RhiCapabilities }
  | { readonly kind: 'not-started'; readonly error: ErrorData }
  | { readonly kind: 'error'; readonly error: ErrorData }
  | { readonly kind: 'readback'; readonly request: number; readonly bytes: ArrayBuffer }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: ErrorData }
  /** Not isolated, per frame; `last` is for `lastEvent`. */
  | {
      readonly kind: 'stats';
      readonly first: number;
      readonly figures: Float64Array;
      readonly last: Float64Array;
    };

/** What a call of the control plane answers. */
export type Answer<T> = { readonly value: T } | { readonly error: ErrorData };

/** The calls as the main thread makes them. */
export type RemoteApi = {
  readonly [K in keyof WorkerApi]: (
    ...parameters: Parameters<WorkerApi[K]>
  ) => Promise<Answer<Awaited<ReturnType<WorkerApi[K]>>>>;
};

/** The control plane of a thread, over comlink. Null: not this thread's to answer. */
export interface WorkerApi {
  readEvents(place: EventPlace | null): Promise<EventBatch>;
  startCapture(): Promise<void>;
  stopCapture(): Promise<ArrayBuffer | null>;
  /** Keeps the last frames from here on. */
  startRecording(framesPerKeyframe: number): Promise<void>;
  takeRenderCommands(): Promise<Uint32Array<ArrayBuffer> | null>;
  /** @param renderCommands what `takeRenderCommands` gave; null where both are kept here */
  writeRecording(renderCommands: Uint32Array | null): Promise<ArrayBuffer | null>;
  /** Of the render thread: opens it for render modules. @param rhi to the RHI thread; null where that is this one */
  connectModules(config: ModulesConfig, rhi: MessagePort | null): Promise<void>;
  /** Of the RHI thread: the other end of that port. */
  serveRhiPoints(render: MessagePort): Promise<void>;
}
