/**
 * Answers load requests in the asset worker (`asset-protocol.ts`). During a load, `pong` shows that the worker lives.
 */

import { BUILD, buildsDiffer } from '../../core/build.js';
import { errorToData } from '../../core/errors.js';
import { type EventBatch, readEvents } from '../../core/events/event-reader.js';
import { EventRing } from '../../core/events/event-ring.js';
import { endWorker, hearLosses } from '../../core/streams/port-messages.js';
import type { AssetSource, CubePictures, LoadProgress } from '../../proxy/scene-description.js';
import { loadScene, sceneTransferables } from '../builders/load-scene.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import { loadEnvironment } from '../environments/load-environment.js';
import type { TextureUse } from '../textures/decode-texture.js';
import type { AssetLoadOptions } from '../textures/load-options.js';
import { loadTexture } from '../textures/load-texture.js';
import { nameOfSource } from '../worker-died.js';
import type { AssetPort, DecoderUrls, LoadRequest, LoadResults } from './asset-protocol.js';
import { ForwardedResponse } from './early-fetch.js';

/** The sources of each kind of load. Only an environment can be loaded from the pictures of a cube's faces. */
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
  readonly [Kind in keyof LoadResults]: (
    source: LoadSources[Kind],
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

/** Least interval between signs of life of a busy worker, in milliseconds. */
const BEAT_MILLISECONDS = 100;

/** The load to which a decoding job belongs. */
export interface DecodedLoad {
  /** Number of the load. Older loads have smaller numbers. */
  readonly number: number;
  /** Name of the file in messages. */
  readonly file: string;
  /** Largest count of helpers in the engine's pool. */
  readonly helpers: number;
  readonly signal: AbortSignal;
}

interface ServeOptions extends Pick<AssetLoadOptions, 'fetch' | 'decodeImage'> {
  /** Returns the decoder loader of a load. @param urls URLs of the decoders, from the request */
  readonly decodersAt?: (urls: DecoderUrls, load: DecodedLoad) => LoadDecoder;
  /** Resolves when all busy decoding helpers of this thread have answered. Default: resolves at once. */
  readonly answers?: () => Promise<void>;
  /** Called when a helper has ended with an error. */
  readonly onHelperDeath?: (number: number, reason: string) => void;
}

/** Answers load requests until the thread ends. */
export function serveAssets(port: AssetPort, options: ServeOptions = {}): void {
  const { decodersAt, answers = async () => {}, onHelperDeath, ...loadOptions } = options;
  const running = new Map<number, AbortController>();
  const forwarded = new Map<number, ForwardedResponse>();
  const ring = new EventRing();
  let cursor: EventBatch | null = null;
  const takeEvents = (): EventBatch => {
    cursor = readEvents(ring.buffer, cursor);
    return cursor;
  };
  port.addEventListener('message', ({ data }) => {
    // Answer a ping only after the helpers have answered, because a silent helper blocks this thread's loads.
    if (data.kind === 'ping') void answers().then(() => port.postMessage({ kind: 'pong' }, []));
    else if (data.kind === 'helperDied') onHelperDeath?.(data.number, data.reason);
    else if (data.kind === 'abort') running.get(data.request)?.abort();
    else if (data.kind !== 'load') forwarded.get(data.request)?.receive(data);
    else if (data.build !== BUILD) {
      const error = errorToData(buildsDiffer('asset-worker.js', BUILD, 'the page’s code', data.build));
      port.postMessage({ kind: 'error', request: data.request, error, events: takeEvents() }, []);
    } else {
      if (data.isFetchedByPage) forwarded.set(data.request, new ForwardedResponse());
      void serve(data);
    }
  });
  hearLosses(port, 'loads', endWorker, 'The worker ends, and pending loads reject.');
  port.start?.();
  let lastBeat = 0;
  /** Sends a sign of life. Long tasks call it, so that a slow worker does not count as dead. */
  const beat = (): void => {
    const now = performance.now();
    if (now - lastBeat < BEAT_MILLISECONDS) return;
    lastBeat = now;
    port.postMessage({ kind: 'pong' }, []);
  };
  // Report that the script runs. From now on, a worker that does not answer in time counts as dead.
  port.postMessage({ kind: 'pong' }, []);

  async function serve({
    request,
    resultKind,
    source,
    decoderUrls,
    helpers,
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
      const answer = forwarded.get(request);
      const ownFetch = loadOptions.fetch ?? ((...parameters) => fetch(...parameters));
      const context: AssetLoadOptions = {
        ...loadOptions,
        fetch: (input, init) =>
          answer && source.kind === 'url' && input === source.url ? answer.response : ownFetch(input, init),
        loadDecoder: decodersAt?.(decoderUrls, {
          number: request,
          file: nameOfSource(source),
          helpers,
          signal,
        }),
        deviceFeatures,
        signal,
        onProgress,
        events: ring,
        number: request,
        onWork: beat,
      };
      const { result, transferred } = await LOADERS[resultKind](source as AssetSource, context, use);
      port.postMessage({ kind: 'result', request, result, events: takeEvents() }, transferred);
    } catch (error) {
      if (!signal.aborted) {
        port.postMessage({ kind: 'error', request, error: errorToData(error), events: takeEvents() }, []);
      }
    } finally {
      running.delete(request);
      forwarded.delete(request);
      // Retract the remaining decoding jobs of this load.
      controller.abort();
    }
  }
}
