import { type Remote, releaseProxy, transfer, wrap } from 'comlink';
import { errorFromData, type FencepostError, type ThreadError } from '../../core/errors.js';
import { type EventPlaces, readEvents, type ThreadEvents } from '../../core/event-reader.js';
import type { LeakReport } from '../../rhi/host/executor.js';
import { type Clock, withDeadline } from '../../sync/deadline.js';
import type { Fence } from '../../sync/fence.js';
import type { ThreadControl } from '../main/connection.js';
import { lazily } from '../main/lazily.js';
import type { ModulesConfig } from '../modules/render-module-messages.js';
import type { Answer, BasicCall, RemoteApi } from './messages.js';
import { watchWorker } from './worker-watch.js';

/**
 * What is asked of running workers beside the frames, and the judgement on those that fall silent. Loaded with
 * the first such call, or when nothing has moved for a while although something is expected; no frame needs it.
 *
 *   purge, shutDown ──► message ──► worker ────► answer ─┐   a call ends with its answer,
 *   events, captures ──► comlink ──► its features ──► …  │   or with the worker's end
 *   is it alive? (worker-watch) ─────► any answer ────────┤
 *                                           none ────────┘──► worker.die(error)
 */

/** A worker as this module sees it. */
export interface ControlledWorker {
  /** As in messages: "render". */
  readonly name: string;
  /** Its script, for messages. */
  readonly url: string;
  readonly controlPort: MessagePort;
  /** Its event ring, where memory is shared. */
  readonly sharedEvents: SharedArrayBuffer | null;
  /** For `lastEvent` of core/event-reader: what it began last, as far as it is known. */
  readonly lastEvent: Float64Array;
  /** What it answers by itself. */
  ask(call: BasicCall): Promise<unknown>;
  /** Whether it was sent its role; it can answer nothing before. */
  readonly isAsked: boolean;
  /** Whether its script was started for this connection; one that is kept has run before. */
  readonly isNew: boolean;
  /** 1 when it has started; fails at its end. */
  readonly life: Fence;
  /** It is dead: everybody who waits for it is told. */
  die(error: ThreadError): void;
}

export interface WorkerControlOptions {
  /** The frame that is expected of the threads; 0: none. */
  readonly awaitedFrame: () => number;
  /** Told of a worker that does not answer, before it is given up. */
  readonly onError: (error: FencepostError) => void;
  readonly isVisible?: () => boolean;
  readonly clock?: Clock;
}

/** How long a worker may be silent; see the option `watchdog`. */
export interface WorkerLimits {
  readonly reportSeconds: number;
  readonly restartSeconds: number;
}

/** How long `dispose()` may take, in milliseconds. */
const SHUT_DOWN_LIMIT = 30_000;

export class WorkerControl implements ThreadControl {
  readonly #calls: readonly WorkerCalls[];
  readonly #options: WorkerControlOptions;

  constructor(workers: readonly ControlledWorker[], options: WorkerControlOptions, limits: WorkerLimits) {
    this.#options = options;
    this.#calls = workers.map((worker) => new WorkerCalls(worker, options, limits));
  }

  async purge(): Promise<void> {
    await Promise.all(this.#calls.map((worker) => worker.ask('flush()', 'purge')));
  }

  async measureGpu(): Promise<void> {
    await Promise.all(this.#calls.map((worker) => worker.ask('GPU times', 'measureGpu')));
  }

  async loseDevice(): Promise<void> {
    await Promise.all(this.#calls.map((worker) => worker.ask('simulateDeviceLoss()', 'loseDevice')));
  }

  async readEvents(places: EventPlaces): Promise<readonly ThreadEvents[]> {
    const read = await Promise.all(this.#calls.map((worker) => worker.readEvents(places)));
    return read.filter((events) => events !== null);
  }

  async startCapture(): Promise<void> {
    await this.#all('startCapture()', (api) => api.startCapture());
  }

  async stopCapture(): Promise<ArrayBuffer | null> {
    return theOne(await this.#all('stopCapture()', (api) => api.stopCapture()));
  }

  async startRecording(framesPerKeyframe: number): Promise<void> {
    await this.#all('the flight recorder', (api) => api.startRecording(framesPerKeyframe));
  }

  async writeRecording(): Promise<ArrayBuffer | null> {
    const commands = theOne(await this.#all('the flight recorder', (api) => api.takeRenderCommands()));
    return theOne(await this.#all('the flight recorder', (api) => api.writeRecording(commands)));
  }

  async connectModules(config: ModulesConfig): Promise<void> {
    const [render, rhi] = this.#calls as [WorkerCalls, WorkerCalls?];
    const points = rhi ? new MessageChannel() : null;
    if (rhi && points) {
      const { port2 } = points;
      await rhi.call('addRenderModule()', (api) => api.serveRhiPoints(transfer(port2, [port2])));
    }
    const port = points?.port1 ?? null;
    await render.call('addRenderModule()', (api) =>
      api.connectModules(transfer(config, [config.port]), port && transfer(port, [port])),
    );
  }

  /**
   * In order: the render worker's destroys reach the RHI worker before that one reports. Where a worker has died,
   * nobody can tell what is a leak and what it would still have destroyed: none is reported.
   * @throws ThreadError `wait-timed-out`
   */
  async shutDown(): Promise<LeakReport> {
    const { clock } = this.#options;
    const work = async (): Promise<LeakReport> => {
      const leaks = [];
      for (const worker of this.#calls) leaks.push(...(await worker.shutDown()).leaks);
      return { leaks: this.#calls.some((worker) => worker.isDead) ? [] : leaks };
    };
    return withDeadline(work(), {
      milliseconds: SHUT_DOWN_LIMIT,
      waiter: 'dispose()',
      awaited: 'the workers, which were ended now, to report what was still alive',
      ...(clock ? { clock } : {}),
    });
  }

  #all<T>(awaited: string, ask: (api: Remote<RemoteApi>) => Promise<Answer<T>>): Promise<T[]> {
    return Promise.all(this.#calls.map((worker) => worker.call(awaited, ask)));
  }
}

/** What the thread gave that had something to give. */
const theOne = <T>(answers: readonly (T | null)[]): T | null =>
  answers.find((answer) => answer !== null) ?? null;

/** The calls to one worker that are under way, and the watch over it. */
class WorkerCalls {
  readonly #worker: ControlledWorker;
  /** Held for as long as the worker lives: calls through a collected proxy never settle. */
  readonly #api: () => Promise<{ readonly api: Remote<RemoteApi> }>;
  readonly #pending: string[] = [];
  #isShuttingDown = false;

  constructor(worker: ControlledWorker, options: WorkerControlOptions, limits: WorkerLimits) {
    const { awaitedFrame, onError, isVisible = () => !document.hidden, clock } = options;
    const { reportSeconds, restartSeconds } = limits;
    const { life } = worker;
    this.#worker = worker;
    this.#api = lazily(async () => {
      await worker.ask('openControl');
      const api = wrap<RemoteApi>(worker.controlPort);
      // Comlink holds the port of a proxy, and with it whoever awaits an answer that won't come any more.
      const release = (): void => {
        if (life.error) api[releaseProxy]();
      };
      life.subscribe(release);
      release();
      return { api }; // in an object: the proxy itself looks like a promise
    });
    watchWorker(worker, {
      awaited: () => {
        if (!worker.isAsked) return null;
        if (!life.isReached(1)) return 'its start';
        const frame = awaitedFrame();
        return this.#pending[0] ?? (frame > 0 ? `frame ${frame}` : null);
      },
      // Starting and ending go on in a hidden page.
      isVisible: () => this.#isShuttingDown || !life.isReached(1) || isVisible(),
      reportSeconds,
      restartSeconds,
      onSilent: onError,
      clock,
    });
  }

  get isDead(): boolean {
    return this.#worker.life.error !== null;
  }

  /** @param awaited what the answer is to, for messages */
  call<T>(awaited: string, ask: (api: Remote<RemoteApi>) => Promise<Answer<T>>): Promise<T> {
    return this.#await(awaited, async () => {
      const answer = await ask((await this.#api()).api);
      if ('error' in answer) throw errorFromData(answer.error);
      return answer.value;
    });
  }

  /** From shared memory also of a dead worker; else it is asked, and null where it does not answer. */
  async readEvents(places: EventPlaces): Promise<ThreadEvents | null> {
    const { name: thread, sharedEvents } = this.#worker;
    const place = places.get(thread) ?? null;
    try {
      const batch = sharedEvents
        ? readEvents(sharedEvents, place)
        : await this.call('the timeline', (api) => api.readEvents(place));
      return { ...batch, thread };
    } catch {
      return null; // Whoever waits for the worker itself is told.
    }
  }

  ask(awaited: string, call: BasicCall): Promise<unknown> {
    return this.#await(awaited, () => this.#worker.ask(call));
  }

  #await<T>(awaited: string, ask: () => Promise<T>): Promise<T> {
    const { life } = this.#worker;
    if (life.error) return Promise.reject(life.error);
    this.#pending.push(awaited);
    return new Promise<T>((resolve, reject) => {
      const unsubscribe = life.subscribe(() => {
        if (life.error) reject(life.error);
      });
      ask()
        .then(resolve, reject)
        .finally(() => {
          unsubscribe();
          this.#pending.splice(this.#pending.indexOf(awaited), 1);
        });
    });
  }

  async shutDown(): Promise<LeakReport> {
    this.#isShuttingDown = true;
    try {
      return (await this.ask('dispose()', 'shutDown')) as LeakReport;
    } catch (error) {
      if (this.isDead) return { leaks: [] };
      throw error;
    }
  }
}
