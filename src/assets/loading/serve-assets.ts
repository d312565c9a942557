/** The worker's side of loads: answers each request of `asset-protocol.ts`, and tells meanwhile that it lives. */

import { BUILD, buildsDiffer } from '../../core/build.js';
import { errorToData } from '../../core/errors.js';
import { type EventBatch, readEvents } from '../../core/events/event-reader.js';
import { EventRing } from '../../core/events/event-ring.js';
import type { AssetSource, CubePictures, LoadProgress } from '../../proxy/scene-description.js';
import { loadScene, sceneTransferables } from '../builders/load-scene.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import { loadEnvironment } from '../environments/load-environment.js';
import type { TextureUse } from '../textures/decode-texture.js';
import type { AssetLoadOptions } from '../textures/load-options.js';
import { loadTexture } from '../textures/load-texture.js';
import { nameOfSource } from '../worker-died.js';
import type { AssetPort, DecoderUrls, LoadRequest, LoadResults } from './asset-protocol.js';
import { HandedAnswer } from './early-fetch.js';

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
    options: AssetLoadOptions,
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

/** The load that a decoder works for. */
export interface DecodedLoad {
  /** Number of the load; older loads have smaller ones. */
  readonly number: number;
  /** For messages. */
  readonly file: string;
  readonly signal: AbortSignal;
}

interface ServeOptions extends Pick<AssetLoadOptions, 'fetch' | 'decodeImage'> {
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
  let cursor: EventBatch | null = null;
  const takeEvents = (): EventBatch => {
    cursor = readEvents(ring.buffer, cursor);
    return cursor;
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
      const context: AssetLoadOptions = {
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
