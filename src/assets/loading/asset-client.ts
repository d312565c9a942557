/**
 * Lets the main thread load files with the asset worker. The client starts the worker on first use and tracks the loads
 * in flight. If the worker dies, these loads reject, and the next load starts a new worker.
 */
import { BUILD } from '../../core/build.js';
import { disposedError, errorFromData, messageOf, OptionError, type ThreadError } from '../../core/errors.js';
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

/** Watches whether a silent worker is still alive. Any message is a sign of life. */
export type WatchWorker = (worker: {
  /** Returns the awaited result as a noun phrase; null if nothing is awaited. */
  readonly awaited: () => string | null;
  /** Requests a sign of life. */
  readonly ask: () => void;
  readonly onDead: (error: ThreadError) => void;
}) => { heard(): void; stop(): void };

/** The members of `Worker` that the client uses. */
interface AssetWorker extends EventTarget {
  postMessage(message: AssetRequest, transfer: Transferable[]): void;
  terminate(): void;
}

/** Helpers of the asset worker: tasks in the engine's pool. */
export interface DecodingHelpers {
  /** Largest count at a time. */
  readonly count: number;
  /** Queues a task that serves the port. `retract` takes it back, or ends it if a worker has begun it. */
  begin(port: MessagePort): { readonly ended: Promise<unknown>; retract(): void };
}

/** Event rings of loads for the timeline. */
interface LoadRings {
  /** Ring of the main thread, with one event per load from its begin to its end. */
  readonly main: EventRing;
  /** Events of the worker, received with its answers. */
  readonly tasks: EventRing;
}

/** Loads files with the asset worker. Each engine has one client. */
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
  /** Whether the worker's script has sent a message. */
  #hasStarted = false;
  readonly #rings: LoadRings | undefined;
  readonly #helpers: DecodingHelpers | undefined;
  /** Helpers by their numbers. */
  readonly #begun = new Map<number, ReturnType<DecodingHelpers['begin']>>();

  constructor(
    createWorker: () => AssetWorker,
    watchWorker?: WatchWorker,
    rings?: LoadRings,
    decoderUrls: DecoderUrls = { basis: '', draco: '', decoders: '' },
    deviceFeatures: () => readonly string[] = () => [],
    helpers?: DecodingHelpers,
  ) {
    this.#helpers = helpers;
    this.#deviceFeatures = deviceFeatures;
    this.#decoderUrls = decoderUrls;
    this.#rings = rings;
    this.#createWorker = createWorker;
    this.#watchWorker = watchWorker;
  }

  /**
   * Loads a scene.
   * @throws AssetError for a faulty file; the signal's reason after an abort; ThreadError `asset-worker-died`,
   *   `thread-not-answering`; StateError `engine-disposed`; OptionError `asset-source-invalid`
   */
  load(source: AssetSource, options?: AssetLoadOptions): Promise<SceneDescription> {
    return this.#load('scene', source, options);
  }

  /** Loads an environment. @throws the errors of `load` */
  loadEnvironment(source: AssetSource | CubePictures, options?: AssetLoadOptions): Promise<EnvironmentImage> {
    return this.#load('environment', source, options);
  }

  /** Decodes a texture file for which the browser has no decoder. @throws the errors of `load` */
  decodeTexture(file: Blob, name: string, use: TextureUse): Promise<DecodedImage> {
    return this.#load('texture', { kind: 'bytes', name, bytes: file }, {}, use);
  }

  async #load<Kind extends keyof LoadResults>(
    resultKind: Kind,
    source: AssetSource | CubePictures,
    { onProgress, signal }: AssetLoadOptions = {},
    use?: TextureUse,
  ): Promise<LoadResults[Kind]> {
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
        // The worker answers with the requested kind of result.
        this.#pending.set(request, {
          source,
          onProgress,
          resolve: (result) => resolve(result as LoadResults[Kind]),
          reject,
        });
        signal?.addEventListener('abort', onAbort);
        const isFetchedByPage =
          !this.#hasStarted &&
          source.kind === 'url' &&
          /^https?:/.test(source.url) &&
          'document' in globalThis;
        this.#post(worker, {
          kind: 'load',
          request,
          resultKind,
          source,
          build: BUILD,
          isFetchedByPage,
          decoderUrls: this.#decoderUrls,
          helpers: this.#helpers?.count ?? 0,
          deviceFeatures: this.#deviceFeatures(),
          use,
        });
        if (!isFetchedByPage) return;
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
    worker.addEventListener('message', (event) =>
      this.#receive((event as MessageEvent<AssetReply>).data, worker),
    );
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

  #receive(reply: AssetReply, worker: AssetWorker): void {
    this.#watch?.heard();
    this.#hasStarted = true;
    if (reply.kind === 'pong') return;
    if (reply.kind === 'helper') {
      this.#beginHelper(reply.number, reply.port, worker);
      return;
    }
    if (reply.kind === 'helperOver') {
      this.#begun.get(reply.number)?.retract();
      return;
    }
    if ('events' in reply) this.#note(reply.events);
    const load = this.#pending.get(reply.request);
    if (!load) {
      // The load was aborted meanwhile, so free the pictures' memory.
      if (reply.kind === 'result' && 'textures' in reply.result) closeImages(reply.result.textures);
    } else if (reply.kind === 'progress') {
      load.onProgress?.({ loadedBytes: reply.loadedBytes, totalBytes: reply.totalBytes });
    } else if (reply.kind === 'result') {
      load.resolve(reply.result);
    } else {
      load.reject(errorFromData(reply.error));
    }
  }

  #beginHelper(number: number, port: MessagePort, worker: AssetWorker): void {
    // A worker that has ended meanwhile uses no helper.
    const helper = this.#worker === worker ? this.#helpers?.begin(port) : undefined;
    if (!helper) {
      port.close();
      return;
    }
    this.#begun.set(number, helper);
    const over = (reason?: unknown): void => {
      if (this.#begun.get(number) !== helper) return;
      this.#begun.delete(number);
      if (reason !== undefined) this.#post(worker, { kind: 'helperDied', number, reason: messageOf(reason) });
    };
    helper.ended.then(() => over(), over);
  }

  /** Copies the worker's events to a ring of this thread, in this thread's time. */
  #note({ events }: EventBatch): void {
    const { timeOrigin } = performance;
    for (let at = 0; at < events.length; at += EVENT_NUMBERS) {
      const [type = 0, frame = 0, begin = 0, end = 0, extra = 0] = events.subarray(at, at + EVENT_NUMBERS);
      this.#rings?.tasks.add(type, frame, begin - timeOrigin, end - timeOrigin, extra);
    }
  }

  /** Terminates the worker and rejects all its loads. @param errorOf returns the error of a load */
  #end(errorOf: (load: PendingLoad) => Error): void {
    this.#watch?.stop();
    this.#worker?.terminate();
    this.#worker = null;
    // A terminated worker can't end its helpers.
    for (const helper of this.#begun.values()) helper.retract();
    this.#begun.clear();
    for (const load of this.#pending.values()) load.reject(errorOf(load));
    this.#pending.clear();
  }
}
