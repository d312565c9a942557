/**
 * The messages between the main thread and the asset worker. A request has a number of its own; its
 * messages end with one `result` or `error`. An aborted request gets no answer: the client has already left.
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
  readonly what: keyof LoadResults;
  readonly source: AssetSource | CubePictures;
  readonly build: string;
  /** The page fetches the source, and hands the answer on: see `early-fetch.ts`. */
  readonly isFetched: boolean;
  /** Where the decoders lie, by name. */
  readonly decoderUrls: DecoderUrls;
  /** Features of the device, by WebGPU's names. */
  readonly deviceFeatures: readonly string[];
  /** Use of a texture; undefined for other files. */
  readonly use: TextureUse | undefined;
}

/** To the worker. */
export type AssetRequest =
  | LoadRequest
  | FetchedPiece
  | { readonly kind: 'abort'; readonly request: number }
  /** Asks whether the event loop turns; `pong` comes also unasked, from a worker that is busy. */
  | { readonly kind: 'ping' };

/** Addresses of the decoders that are files of their own, and of the script of helpers. */
export type DecoderUrls = Readonly<Record<'basis' | 'draco' | 'decoders' | 'assets', string>>;

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
  | { readonly kind: 'pong' };

interface WithEvents {
  /** Events that the worker has noted since the answer before, for the timeline. */
  readonly events: EventBatch;
}

/** The worker's side of the channel: its global scope, or a MessagePort. */
export interface AssetPort {
  postMessage(message: AssetReply, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<AssetRequest>) => void): void;
  start?(): void;
}
