import { canShareMemory } from '../../core/browser/opaque-origin.js';
import { BUILD, buildsDiffer } from '../../core/build.js';
import { disposedError, errorFromData, type FencepostError, PlatformError } from '../../core/errors.js';
import { EVENT_RING_BYTES } from '../../core/events/event-ring.js';
import { connectStreamWriter } from '../../core/streams/page-stream.js';
import { hearLosses, streamMessageLost } from '../../core/streams/port-messages.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import { renderStream } from '../../proxy/commands.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { createFenceLink, type FenceCarrier, ReceivedFences } from '../../sync/fences/fence-link.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { emptyStats, FRAME_STAT_COUNT } from '../control/frame-stats.js';
import type { Notice, WorkerCanvas, WorkerConfig, WorkerRequest, WorkerRole } from '../control/protocol.js';
import { PeerControl, type ThreadControl } from '../control/thread-control.js';
import { threadOptions } from '../control/thread-options.js';
import { type ControlledWorker, WorkerPeer } from '../control/worker-peer.js';
import { createModuleWorker, findFile, findFileOrNone } from '../library-files/worker-location.js';
import {
  type CanvasSource,
  type Connect,
  type ConnectionEvents,
  checkRequired,
  type KeptWorkers,
  type Takeover,
  transferControl,
} from './connection.js';
import { workerFailure } from './worker-failure.js';

/**
 * Interval in milliseconds at which this thread checks for progress. If something is expected, and two checks in turn
 * find the same state, this thread asks the workers for a sign of life.
 */
const CHECK_INTERVAL = 1000;

/**
 * Creates the workers of a mode. The first worker owns the canvas and the device, and shuts down last.
 *
 * @param add registers a worker. Call it right after the worker's creation, so that the worker is ended if the next
 * worker cannot be created.
 * @returns a function that starts the workers. It is called once the stream of commands exists.
 */
type MakeWorkers = (
  context: WorkerContext,
  add: (worker: EngineWorker) => EngineWorker,
  commandPort: MessagePort,
  before?: Takeover,
) => () => Promise<RhiCapabilities>;

/**
 * Connects the engine's workers with the main thread, by streams and fences. All workers are started on the
 * main thread, because nested workers get no animation frames.
 */
export const connectWorkersBy =
  (make: MakeWorkers): Connect =>
  async (surface, options, events, before) => {
    const shared = canShareMemory();
    const sharedStats = shared ? new SharedArrayBuffer(FRAME_STAT_COUNT * 8) : null;
    const stats = emptyStats(sharedStats ?? undefined);
    const commands = new MessageChannel();
    let writer: StreamWriter | undefined;
    /** Workers in the order in which they shut down and report a frame. */
    const workers: EngineWorker[] = [];
    let control: ThreadControl | undefined;
    /** Creates the control with the first call. From then on, each peer watches its worker. */
    const askThreads = (): ThreadControl => {
      control ??= new PeerControl(workers.map((worker) => new WorkerPeer(worker, events, options)));
      return control;
    };
    let progress = -1;
    let isStarting = true;
    // If nothing has changed since the last check although something is expected, create the control. It finds out
    // which workers are alive.
    const timer = setInterval(() => {
      const last = progress;
      progress = 0;
      for (const { fences } of workers) for (const { value } of fences) progress += value;
      if (progress === last && (isStarting || events.awaitedFrame())) askThreads();
    }, CHECK_INTERVAL);
    const end = (kept?: KeptWorkers): void => {
      clearInterval(timer);
      for (const worker of workers) worker.end(disposedError(), kept);
      writer?.close();
    };
    try {
      const context: WorkerContext = { options, surface, shared, sharedStats, stats, events };
      const add = (worker: EngineWorker): EngineWorker => {
        workers.unshift(worker);
        return worker;
      };
      const start = make(context, add, commands.port2, before);
      let capabilities: RhiCapabilities | null = null;
      const pages = connectStreamWriter(commands.port1, { table: renderStream, shared });
      pages.onLoss = () => events.onError(streamMessageLost('writer', renderStream.name, shared));
      writer = pages;
      const started = start().then((found) => {
        isStarting = false;
        capabilities = checkRequired(found, options);
        return found;
      });
      started.catch(() => {}); // The caller that awaits `started` handles the error.
      const [rendered, submitted, completed] = workers.flatMap(({ fences }) => fences);
      const owner = workers.at(-1) as EngineWorker;
      const renderer = workers[0] as EngineWorker;
      return {
        writer,
        rendered,
        submitted,
        completed,
        started,
        get capabilities() {
          return capabilities;
        },
        stats,
        get control() {
          return askThreads();
        },
        lastEvent: (thread) => (thread === 'RHI' ? owner : renderer).lastEvent,
        get workers() {
          return { owner: owner.alive, other: renderer === owner ? undefined : renderer.alive };
        },
        takeCanvas: () => owner.takeCanvas(),
        end,
      };
    } catch (error) {
      end(before?.workers);
      throw error;
    }
  };

/**
 * Starts the worker of `render` mode:
 *
 *   main ══ commands ══► worker (render + RHI)
 */
export const connectWorker = /* @__PURE__ */ connectWorkersBy((context, add, commandPort, before) => {
  const fences = ['rendered', 'submitted', 'completed'];
  const worker = add(new EngineWorker('render', context, fences, before?.workers.owner));
  return async () => {
    await before?.beforeReuse();
    return worker.start({ kind: 'render+rhi' }, commandPort);
  };
});

interface WorkerContext {
  readonly options: ResolvedOptions;
  readonly surface: CanvasSource;
  readonly shared: boolean;
  readonly sharedStats: SharedArrayBuffer | null;
  readonly stats: Float64Array;
  readonly events: ConnectionEvents;
}

/** One worker of the engine, as the main thread sees it. */
export class EngineWorker implements ControlledWorker {
  readonly name: string;
  readonly life = new PrivateFence('life');
  readonly sharedEvents: SharedArrayBuffer | null;
  lastEvent: Float64Array;
  isAsked = false;
  onNotice: ((notice: Notice) => void) | null = null;
  readonly #context: WorkerContext;
  readonly #worker: Worker;
  readonly #notices = new MessageChannel();
  readonly #control = new MessageChannel();
  readonly #received: ReceivedFences;
  readonly #carrier: FenceCarrier;
  readonly isNew: boolean;
  #capabilities: RhiCapabilities | undefined;
  #canvas: OffscreenCanvas | null = null;

  /**
   * @param fences names of the fences that the worker signals
   * @param kept a running worker, which starts again in a new role
   */
  constructor(name: string, context: WorkerContext, fences: readonly string[], kept?: Worker) {
    this.name = name;
    const [near, far] = createFenceLink(fences);
    this.#received = new ReceivedFences(near);
    this.#received.onNote = (note) => this.#receive(note as Notice);
    this.#carrier = far;
    this.#context = context;
    this.isNew = !kept;
    this.sharedEvents = context.shared ? new SharedArrayBuffer(EVENT_RING_BYTES) : null;
    this.lastEvent = new Float64Array(this.sharedEvents ?? new ArrayBuffer(0));
    this.#worker = kept ?? createModuleWorker('engine', context.options.locate);
    if (!kept) this.#listen();
    this.#notices.port1.onmessage = ({ data }: MessageEvent<Notice>) => this.#receive(data);
    const { onError } = context.events;
    hearLosses(this.#notices.port1, `notices of the ${name} worker`, onError);
    hearLosses(this.#control.port1, `answers of the ${name} worker`, onError);
    hearLosses(near.port, `fences of the ${name} worker`, onError);
  }

  /** The fences that the worker signals. */
  get fences(): readonly PrivateFence[] {
    return this.#received.fences;
  }

  get controlPort(): MessagePort {
    return this.#control.port1;
  }

  request(request: WorkerRequest): void {
    this.#notices.port1.postMessage(request);
  }

  /** The worker, if it is alive, so that another connection can take it over. */
  get alive(): Worker | undefined {
    return this.life.error ? undefined : this.#worker;
  }

  get #location(): URL {
    return findFile('engine', this.#context.options.locate);
  }

  get url(): string {
    return this.#location.href;
  }

  /**
   * Takes control over the canvas, so that the canvas can be sent when the worker is ready.
   * @throws PlatformError `canvas-in-use`, `offscreen-canvas-missing`
   */
  takeCanvas(): void {
    this.#canvas ??= this.#context.surface.take(transferControl);
  }

  /** Sends the worker its role. Resolves when the worker is ready to receive frames. */
  async start(role: WorkerRole, commandPort: MessagePort | null): Promise<RhiCapabilities> {
    const { options, shared, sharedStats } = this.#context;
    this.#listen();
    const config: WorkerConfig = {
      build: BUILD,
      role,
      options: threadOptions(options),
      awaitsCanvas: this.isNew && options.backend !== 'null' && role.kind !== 'render',
      shared,
      commandPort,
      mainFences: this.#carrier,
      noticePort: this.#notices.port2,
      controlPort: this.#control.port2,
      sharedStats,
      sharedEvents: this.sharedEvents,
      toolsUrl: findFileOrNone('tools', options.locate),
    };
    const carriers = 'fences' in role ? [this.#carrier, role.fences] : [this.#carrier];
    const posted: unknown[] = [
      ...Object.values(config),
      ...Object.values(role),
      ...carriers.map(({ port }) => port),
    ];
    this.#worker.postMessage(
      config,
      posted.filter((each) => each instanceof MessagePort),
    );
    this.isAsked = true;
    await this.life.whenReached(1);
    return this.#capabilities as RhiCapabilities;
  }

  /** Ends the worker. @param kept workers that are not terminated */
  end(error: FencepostError, kept: KeptWorkers = {}): void {
    this.life.fail(error);
    this.#received.close();
    for (const { port1 } of [this.#notices, this.#control]) port1.close();
    if (Object.values(kept).includes(this.#worker)) return;
    this.#worker.onerror = null;
    this.#worker.terminate();
  }

  die(error: FencepostError): void {
    if (this.life.error) return;
    this.life.fail(error);
    // For a worker that has not started, `start` is the only waiter.
    if (this.life.isReached(1)) for (const fence of this.fences) fence.fail(error);
  }

  #listen(): void {
    this.#worker.onerror = ({ message }) => {
      this.die(workerFailure(this.name, message, this.life.isReached(1), this.#location));
    };
  }

  #receive(notice: Notice): void {
    const { events, stats } = this.#context;
    this.onNotice?.(notice);
    if ((notice.kind === 'opened' || notice.kind === 'started') && notice.build !== BUILD) {
      this.die(buildsDiffer(this.url, notice.build, 'the page’s code', BUILD));
      return;
    }
    switch (notice.kind) {
      case 'started':
        this.#capabilities = notice.capabilities;
        this.life.signal(1);
        break;
      case 'opened': {
        try {
          this.takeCanvas();
          const canvas = this.#canvas as OffscreenCanvas;
          this.#worker.postMessage({ canvas } satisfies WorkerCanvas, [canvas]);
        } catch (error) {
          this.die(error as FencepostError);
        }
        break;
      }
      case 'not-started':
        // The page has WebGPU, because `createEngine` checks that before it starts a worker. So only workers lack it.
        this.die(
          notice.error.code === 'webgpu-missing'
            ? webGpuMissingInWorkers(this.name)
            : errorFromData(notice.error),
        );
        break;
      case 'stats':
        stats.set(notice.figures, notice.first);
        this.lastEvent = notice.last;
        break;
      case 'readback':
        events.onReadback(notice.request, notice.bytes);
        break;
      case 'rhi-trace':
        events.onTrace(notice.lines);
        break;
      case 'error':
        events.onError(errorFromData(notice.error));
    }
  }
}

/**
 * Returns the error for a worker without `navigator.gpu` on a page that has it.
 * @param thread name of the thread that needs the device
 */
function webGpuMissingInWorkers(thread: string): PlatformError {
  return new PlatformError(
    'webgpu-missing',
    "This browser has WebGPU on the page, but not in workers. Pass threading: 'single', or update the browser.",
    { details: { thread } },
  );
}
