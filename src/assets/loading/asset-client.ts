/**
 * The main thread's side of loading: starts the asset worker on first use and keeps track of the loads in
 * flight. A worker that dies rejects them all, and the next load starts a new one.
 */
import { BUILD } from '../../core/build.js';
import { disposedError, errorFromData, OptionError, type ThreadError } from '../../core/errors.js';
import type { EventBatch } from '../../core/events/event-reader.js';
import { EVENT_NUMBERS, type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { closeImages } from '../../proxy/images/close-images.js';
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import type {
  AssetSource,
  CubePictures,
  EnvironmentImage,
  LoadProgress,
  SceneDescription,
} from '../../proxy/scene-description.js';
import type { TextureUse } from '../textures/decode-texture.js';
import { nameOfSource, workerDied } from '../worker-died.js';
import type { AssetReply, AssetRequest, DecoderUrls, LoadResults } from './asset-protocol.js';
import { fetchForWorker } from './early-fetch.js';

interface AssetLoadOptions {
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface PendingLoad {
  readonly source: AssetSource | CubePictures;
  readonly onProgress: AssetLoadOptions['onProgress'];
  resolve(result: LoadResults[keyof LoadResults]): void;
  reject(error: unknown): void;
}

/** Judges whether a silent worker still lives; messages of any kind are signs of life. */
export type WatchWorker = (worker: {
  /** What is expected of it now, as a noun; null: nothing. */
  readonly awaited: () => string | null;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  readonly onDead: (error: ThreadError) => void;
}) => { heard(): void; stop(): void };

/** What the client needs of a worker. */
interface AssetWorker extends EventTarget {
  postMessage(message: AssetRequest, transfer: Transferable[]): void;
  terminate(): void;
}

/** Where loads are noted for the timeline. */
interface LoadRings {
  /** Of the main thread: loads from their begin to their end. */
  readonly main: EventRing;
  /** What the worker does for them, as far as it has told. */
  readonly tasks: EventRing;
}

/** One per engine. */
export class AssetClient {
  readonly #createWorker: () => AssetWorker;
  readonly #decoderUrls: DecoderUrls;
  readonly #deviceFeatures: () => readonly string[];
  readonly #watchWorker: WatchWorker | undefined;
  #watch: ReturnType<WatchWorker> | undefined;
  readonly #pending = new Map<number, PendingLoad>();
  #worker: AssetWorker | null = null;
  #nextRequest = 1;
  #isDisposed = false;
  /** Whether the worker's script runs. */
  #hasStarted = false;
  readonly #rings: LoadRings | undefined;

  constructor(
    createWorker: () => AssetWorker,
    watchWorker?: WatchWorker,
    rings?: LoadRings,
    decoderUrls: DecoderUrls = { basis: '', draco: '', decoders: '', assets: '' },
    deviceFeatures: () => readonly string[] = () => [],
  ) {
    this.#deviceFeatures = deviceFeatures;
    this.#decoderUrls = decoderUrls;
    this.#rings = rings;
    this.#createWorker = createWorker;
    this.#watchWorker = watchWorker;
  }

  /**
   * @throws AssetError when the file is at fault; the signal's reason when aborted; ThreadError
   * `asset-worker-died`, `thread-not-answering`; StateError `engine-disposed`
   */
  load(source: AssetSource, options?: AssetLoadOptions): Promise<SceneDescription> {
    return this.#load('scene', source, options);
  }

  /** @throws as `load` */
  loadEnvironment(source: AssetSource | CubePictures, options?: AssetLoadOptions): Promise<EnvironmentImage> {
    return this.#load('environment', source, options);
  }

  /** Of a texture's file that the browser alone can't decode. @throws as `load` */
  decodeTexture(file: Blob, name: string, use: TextureUse): Promise<DecodedImage> {
    return this.#load('texture', { kind: 'bytes', name, bytes: file }, {}, use);
  }

  async #load<What extends keyof LoadResults>(
    what: What,
    source: AssetSource | CubePictures,
    { onProgress, signal }: AssetLoadOptions = {},
    use?: TextureUse,
  ): Promise<LoadResults[What]> {
    signal?.throwIfAborted();
    if (this.#isDisposed) throw disposedError();
    const worker = this.#start();
    const request = this.#nextRequest++;
    const began = this.#rings?.main.begin(TimelineEvent.load, 0) ?? 0;
    const onAbort = (): void => {
      this.#pending.get(request)?.reject(signal?.reason);
      this.#pending.delete(request);
      this.#post(worker, { kind: 'abort', request });
    };
    try {
      return await new Promise((resolve, reject) => {
        // The worker answers with what it was asked for.
        this.#pending.set(request, {
          source,
          onProgress,
          resolve: (result) => resolve(result as LoadResults[What]),
          reject,
        });
        signal?.addEventListener('abort', onAbort);
        const isFetched =
          !this.#hasStarted &&
          source.kind === 'url' &&
          /^https?:/.test(source.url) &&
          'document' in globalThis;
        this.#post(worker, {
          kind: 'load',
          request,
          what,
          source,
          build: BUILD,
          isFetched,
          decoderUrls: this.#decoderUrls,
          deviceFeatures: this.#deviceFeatures(),
          use,
        });
        if (!isFetched) return;
        void fetchForWorker(request, source.url, signal, (part, transfer) => {
          if (this.#worker === worker && this.#pending.has(request)) this.#post(worker, part, transfer);
        });
      });
    } finally {
      this.#pending.delete(request);
      signal?.removeEventListener('abort', onAbort);
      this.#rings?.main.end(TimelineEvent.load, 0, began, request);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#end(disposedError);
  }

  #post(worker: AssetWorker, message: AssetRequest, transfer: Transferable[] = []): void {
    try {
      worker.postMessage(message, transfer);
    } catch (cause) {
      const text =
        'The source of a load cannot be sent to the asset worker. Pass a URL, a File or an ArrayBuffer.';
      throw new OptionError('asset-source-invalid', text, { cause });
    }
  }

  #start(): AssetWorker {
    if (this.#worker) return this.#worker;
    const died = (event: Event): void => {
      if (this.#worker !== worker) return;
      const reason = 'message' in event ? String(event.message) : '';
      this.#end(({ source }) => workerDied(nameOfSource(source), 'The asset worker', reason));
    };
    const worker = this.#createWorker();
    worker.addEventListener('message', (event) => this.#receive((event as MessageEvent<AssetReply>).data));
    worker.addEventListener('error', died);
    worker.addEventListener('messageerror', died);
    this.#worker = worker;
    this.#hasStarted = false;
    this.#watch = this.#watchWorker?.({
      awaited: () => (this.#pending.size ? 'the file being loaded' : null),
      ask: () => this.#post(worker, { kind: 'ping' }),
      onDead: (error) => this.#end(() => error),
    });
    return worker;
  }

  #receive(reply: AssetReply): void {
    this.#watch?.heard();
    this.#hasStarted = true;
    if (reply.kind === 'pong') return;
    if ('events' in reply) this.#note(reply.events);
    const load = this.#pending.get(reply.request);
    if (!load) {
      // The load was aborted meanwhile: give the pictures' memory back.
      if (reply.kind === 'result' && 'textures' in reply.result) closeImages(reply.result.textures);
    } else if (reply.kind === 'progress') {
      load.onProgress?.({ loadedBytes: reply.loadedBytes, totalBytes: reply.totalBytes });
    } else if (reply.kind === 'result') {
      load.resolve(reply.result);
    } else {
      load.reject(errorFromData(reply.error));
    }
  }

  /** Keeps what the worker has noted in a ring of this thread, by this thread's clock. */
  #note({ events }: EventBatch): void {
    const { timeOrigin } = performance;
    for (let at = 0; at < events.length; at += EVENT_NUMBERS) {
      const [type = 0, frame = 0, begin = 0, end = 0, extra = 0] = events.subarray(at, at + EVENT_NUMBERS);
      this.#rings?.tasks.add(type, frame, begin - timeOrigin, end - timeOrigin, extra);
    }
  }

  /** Ends the worker and all its loads. @param errorOf what a load rejects with */
  #end(errorOf: (load: PendingLoad) => Error): void {
    this.#watch?.stop();
    this.#worker?.terminate();
    this.#worker = null;
    for (const load of this.#pending.values()) load.reject(errorOf(load));
    this.#pending.clear();
  }
}
