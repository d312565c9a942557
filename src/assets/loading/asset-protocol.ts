/**
 * What the main thread and the asset worker say to each other. A request has a number of its own; its
 * messages end with one `result` or `error`. An aborted request gets no answer: the client has already left.
 *
 *   main thread                  asset worker
 *   load 1 (a scene, an environment, a texture)
 *           ────────────────────► fetch, parse, decode
 *          ◄──────────────────── progress 1 …
 *          ◄──────────────────── result 1 (buffers and images transferred) │ error 1
 *   abort 1 ───────────────────► transfers stop
 */
import { BUILD, buildsDiffer } from '../../core/build.js';
import { type ErrorData, errorToData } from '../../core/errors.js';
import { type EventBatch, readEvents } from '../../core/events/event-reader.js';
import { EventRing } from '../../core/events/event-ring.js';
import type { DecodedImage } from '../../proxy/decode-image.js';
import type {
  AssetSource,
  CubePictures,
  EnvironmentImage,
  LoadProgress,
  SceneDescription,
} from '../../proxy/scene-description.js';
import { type LoadSceneOptions, loadScene, sceneTransferables } from '../builders/load-scene.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import type { DecodedLoad } from '../decoding/shared-decoders.js';
import { loadEnvironment } from '../environments/load-environment.js';
import type { TextureRequest } from '../textures/decode-texture.js';
import { loadTexture } from '../textures/load-texture.js';
import { nameOfSource } from '../worker-died.js';
import { type FetchedPart, HandedAnswer } from './early-fetch.js';

interface LoadRequest {
  readonly kind: 'load';
  readonly request: number;
  readonly what: keyof LoadResults;
  readonly source: AssetSource | CubePictures;
  readonly build: string;
  /** The page fetches the source, and hands the answer on: see `early-fetch.ts`. */
  readonly isFetched: boolean;
  /** Where the decoders lie, by name. */
  readonly decoderUrls: DecoderUrls;
  /** Of the device, by WebGPU's names. */
  readonly deviceFeatures: readonly string[];
  /** Of a texture. */
  readonly use: TextureUse | undefined;
}

/** How a texture is read, and which image of its file it is. */
export type TextureUse = Pick<TextureRequest, 'srgb' | 'layer'>;

/** To the worker. */
export type AssetRequest =
  | LoadRequest
  | FetchedPart
  | { readonly kind: 'abort'; readonly request: number }
  /** Asks whether the event loop turns; `pong` comes also unasked, from a worker that is busy. */
  | { readonly kind: 'ping' };

/** Addresses of the decoders that are files of their own, and of the script of helpers. */
export type DecoderUrls = Readonly<Record<'basis' | 'draco' | 'decoders' | 'assets', string>>;

/** What loads end with, by what is asked for. */
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
  /** What the worker has noted since the answer before, for the timeline. */
  readonly events: EventBatch;
}

/** The worker's side of the channel: its global scope, or a MessagePort. */
export interface AssetPort {
  postMessage(message: AssetReply, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<AssetRequest>) => void): void;
  start?(): void;
}

/** What loads are made of: cubes of pictures light scenes alone. */
interface LoadSources {
  readonly scene: AssetSource;
  readonly environment: AssetSource | CubePictures;
  readonly texture: AssetSource;
}

interface Loaded {
  readonly result: LoadResults[keyof LoadResults];
  readonly transferred: Transferable[];
}

const LOADERS: {
  readonly [What in keyof LoadResults]: (
    source: LoadSources[What],
    options: LoadSceneOptions,
    use: TextureUse | undefined,
  ) => Promise<Loaded>;
} = {
  scene: async (source, options) => {
    const result = await loadScene(source, options);
    return { result, transferred: sceneTransferables(result) };
  },
  environment: async (source, options) => {
    const result = await loadEnvironment(source, options);
    return { result, transferred: [result.data] };
  },
  texture: async (source, options, use = { srgb: false }) => {
    const result = await loadTexture(source, options, use);
    return { result, transferred: [result.image] };
  },
};

/** At most this often a busy worker tells that it lives, in milliseconds. */
const BEAT_MILLISECONDS = 100;

export interface ServeOptions extends Pick<LoadSceneOptions, 'fetch' | 'decodeImage'> {
  /** How this thread loads decoders. @param urls where they lie, for threads that are told it @param load whose they are */
  readonly decodersAt?: (urls: DecoderUrls, load: DecodedLoad) => LoadDecoder;
  /** Resolves when those who help this thread have answered; without it nobody does. */
  readonly answers?: () => Promise<void>;
}

/** Answers load requests for as long as the thread lives. */
export function serveAssets(port: AssetPort, options: ServeOptions = {}): void {
  const { decodersAt, answers = async () => {}, ...loadOptions } = options;
  const running = new Map<number, AbortController>();
  const handed = new Map<number, HandedAnswer>();
  const ring = new EventRing();
  let place: EventBatch | null = null;
  const takeEvents = (): EventBatch => {
    place = readEvents(ring.buffer, place);
    return place;
  };
  port.addEventListener('message', ({ data }) => {
    // A helper that is silent makes this thread as good as silent.
    if (data.kind === 'ping') void answers().then(() => port.postMessage({ kind: 'pong' }, []));
    else if (data.kind === 'abort') running.get(data.request)?.abort();
    else if (data.kind !== 'load') handed.get(data.request)?.receive(data);
    else if (data.build !== BUILD) {
      const error = errorToData(buildsDiffer('asset-worker.js', BUILD, 'the page’s code', data.build));
      port.postMessage({ kind: 'error', request: data.request, error, events: takeEvents() }, []);
    } else {
      if (data.isFetched) handed.set(data.request, new HandedAnswer());
      void serve(data);
    }
  });
  port.start?.();
  let lastBeat = 0;
  /** Sent from within a long task as well: slow is not silent. */
  const beat = (): void => {
    const now = performance.now();
    if (now - lastBeat < BEAT_MILLISECONDS) return;
    lastBeat = now;
    port.postMessage({ kind: 'pong' }, []);
  };
  // The script is there: from now on it answers in time, or is gone.
  port.postMessage({ kind: 'pong' }, []);

  async function serve({
    request,
    what,
    source,
    decoderUrls,
    deviceFeatures,
    use,
  }: LoadRequest): Promise<void> {
    const controller = new AbortController();
    running.set(request, controller);
    const { signal } = controller;
    const onProgress = (progress: LoadProgress): void => {
      if (!signal.aborted) port.postMessage({ kind: 'progress', request, ...progress }, []);
    };
    try {
      const answer = handed.get(request);
      const ownFetch = loadOptions.fetch ?? ((...parameters) => fetch(...parameters));
      const context: LoadSceneOptions = {
        ...loadOptions,
        fetch: (input, init) =>
          answer && source.kind === 'url' && input === source.url ? answer.response : ownFetch(input, init),
        loadDecoder: decodersAt?.(decoderUrls, { number: request, file: nameOfSource(source), signal }),
        deviceFeatures,
        signal,
        onProgress,
        events: ring,
        number: request,
        onWork: beat,
      };
      const { result, transferred } = await LOADERS[what](source as AssetSource, context, use);
      port.postMessage({ kind: 'result', request, result, events: takeEvents() }, transferred);
    } catch (error) {
      if (!signal.aborted) {
        port.postMessage({ kind: 'error', request, error: errorToData(error), events: takeEvents() }, []);
      }
    } finally {
      running.delete(request);
      handed.delete(request);
      // What it still has to be decoded is not wanted any more.
      controller.abort();
    }
  }
}
