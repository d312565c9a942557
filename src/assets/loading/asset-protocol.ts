/**
 * The messages between the main thread and the asset worker. Each request has a number, and one `result` or `error`
 * ends it. An aborted request needs no answer, because its promise has already rejected.
 *
 *   main thread                  asset worker
 *   load 1 (a scene, an environment, a texture)
 *           ────────────────────► fetch, parse, decode
 *          ◄──────────────────── progress 1 …
 *          ◄──────────────────── result 1 (buffers and images transferred) │ error 1
 *   abort 1 ───────────────────► transfers stop
 */
import type { ErrorData } from '../../core/errors.js';
import type { EventBatch } from '../../core/events/event-reader.js';
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import type {
  AssetSource,
  CubePictures,
  EnvironmentImage,
  LoadProgress,
  SceneDescription,
} from '../../proxy/scene-description.js';
import type { TextureUse } from '../textures/decode-texture.js';
import type { FetchedPiece } from './early-fetch.js';

export interface LoadRequest {
  readonly kind: 'load';
  readonly request: number;
  readonly resultKind: keyof LoadResults;
  readonly source: AssetSource | CubePictures;
  readonly build: string;
  /** Whether the page fetches the source and forwards the response (`early-fetch.ts`). */
  readonly isFetchedByPage: boolean;
  /** URLs of the decoders by name. */
  readonly decoderUrls: DecoderUrls;
  /** Largest count of helpers in the engine's pool (`decoding-workers/`). */
  readonly helpers: number;
  /** WebGPU names of the device's features. */
  readonly deviceFeatures: readonly string[];
  /** Use of the texture; undefined for other files. */
  readonly use: TextureUse | undefined;
}

/** Messages to the worker. */
export type AssetRequest =
  | LoadRequest
  | FetchedPiece
  | { readonly kind: 'abort'; readonly request: number }
  /** Reports that a helper has ended with an error. */
  | { readonly kind: 'helperDied'; readonly number: number; readonly reason: string }
  /** Requests a `pong`. A busy worker also sends `pong` by itself. */
  | { readonly kind: 'ping' };

/** URLs of the decoder files. */
export type DecoderUrls = Readonly<Record<'basis' | 'draco' | 'decoders', string>>;

/** Results of loads, by kind of request. */
export interface LoadResults {
  readonly scene: SceneDescription;
  readonly environment: EnvironmentImage;
  readonly texture: DecodedImage;
}

export type AssetReply =
  | ({ readonly kind: 'progress'; readonly request: number } & LoadProgress)
  | ({
      readonly kind: 'result';
      readonly request: number;
      readonly result: LoadResults[keyof LoadResults];
    } & WithEvents)
  | ({ readonly kind: 'error'; readonly request: number; readonly error: ErrorData } & WithEvents)
  /** Requests a helper: a task in the engine's pool that serves the port (`decoding-workers/`). */
  | { readonly kind: 'helper'; readonly number: number; readonly port: MessagePort }
  /** Reports that the helper is not needed any more. */
  | { readonly kind: 'helperOver'; readonly number: number }
  | { readonly kind: 'pong' };

interface WithEvents {
  /** The worker's events since its last answer, for the timeline. */
  readonly events: EventBatch;
}

/** The worker's end of the channel: its global scope, or a MessagePort. */
export interface AssetPort {
  postMessage(message: AssetReply, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<AssetRequest>) => void): void;
  onmessageerror?: ((event: MessageEvent) => void) | null;
  start?(): void;
}
