import { releaseProxy } from 'comlink';
import type { FencepostError, ThreadError } from '../../core/errors.js';
import { type RingCursors, readEvents, type ThreadEvents } from '../../core/events/event-reader.js';
import type { Clock } from '../../sync/deadline.js';
import type { SignallableFence } from '../../sync/waitable.js';
import { measureProcessorShare } from '../../sync/watch/processor-share.js';
import { wrapThread } from './comlink-link.js';
import type { Notice, ShutDownReport, ThreadApi, WorkerRequest } from './protocol.js';
import type { ThreadPeer } from './thread-control.js';
import { watchWorker } from './worker-watch.js';

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
  /** Whether it was sent its role; it can answer nothing before. */
  readonly isAsked: boolean;
  /** Whether its script was started for this connection; one that is kept has run before. */
  readonly isNew: boolean;
  /** 1 when it has started; fails at its end. */
  readonly life: SignallableFence;
  /** Called with every notice of the worker. */
  onNotice: ((notice: Notice) => void) | null;
  /** Its answer is a notice. */
  request(request: WorkerRequest): void;
  /** It is dead: everybody who waits for it is told. */
  die(error: ThreadError): void;
}

interface WorkerPeerOptions {
  /** The frame that is expected of the threads; 0: none. */
  readonly awaitedFrame: () => number;
  /** Told of a worker that does not answer, before it is given up. */
  readonly onError: (error: FencepostError) => void;
  readonly isVisible?: () => boolean;
  readonly clock?: Clock;
  /** How much of a processor a thread gets now, 0 to 1. Default: it is measured. */
  readonly processorShare?: () => number;
}

/** How long a worker may be silent; see the option `watchdog`. */
interface WorkerLimits {
  readonly reportSeconds: number;
  readonly restartSeconds: number;
}

/**
 * One worker of the engine as a peer that can be asked, and the judgement on one that falls silent. Created with the first
 * question, or when nothing has moved for a while although something is expected. Calls wait for the worker's start.
 *
 *   call ── comlink ──► ThreadApi ──► answer ────────────────────────────┐   a call ends with its answer,
 *   is-alive (worker-watch) ──────────────────────────────► any notice ──┤   or with the worker's end
 *                                                                 none ──┘──► worker.die(error)
 *
 * The calls to one worker that are under way, and the watch over it.
 */
export class WorkerPeer implements ThreadPeer {
  readonly #worker: ControlledWorker;
  /** Held for as long as the worker lives: calls through a collected proxy never settle. */
  readonly #api: ThreadApi;
  readonly #pending: string[] = [];
  #isShuttingDown = false;

  constructor(worker: ControlledWorker, options: WorkerPeerOptions, limits: WorkerLimits) {
    const { awaitedFrame, onError, isVisible = () => !document.hidden, clock } = options;
    const { processorShare = measureProcessorShare } = options;
    const { reportSeconds, restartSeconds } = limits;
    const { life } = worker;
    this.#worker = worker;
    const api = wrapThread(worker.controlPort);
    this.#api = api;
    // Comlink holds the port of a proxy, and with it whoever awaits an answer that won't come any more.
    const release = (): void => {
      if (life.error) api[releaseProxy]();
    };
    life.subscribe(release);
    release();
    const heard = watchWorker(worker, {
      awaited: () => {
        if (!worker.isAsked) return null;
        if (!life.isReached(1)) return 'its start';
        const frame = awaitedFrame();
        return this.#pending[0] ?? (frame > 0 ? `frame ${frame}` : null);
      },
      // Starting and ending go on in a hidden page.
      isVisible: () => this.#isShuttingDown || !life.isReached(1) || isVisible(),
      processorShare,
      reportSeconds,
      restartSeconds,
      onSilent: onError,
      clock,
    });
    worker.onNotice = heard;
  }

  get isDead(): boolean {
    return this.#worker.life.error !== null;
  }

  call<T>(awaited: string, ask: (api: ThreadApi) => Promise<T>): Promise<T> {
    const { life } = this.#worker;
    if (life.error) return Promise.reject(life.error);
    this.#pending.push(awaited);
    return new Promise<T>((resolve, reject) => {
      const unsubscribe = life.subscribe(() => {
        if (life.error) reject(life.error);
      });
      // Before its start the worker would answer, and do nothing: it has no sides yet.
      life
        .whenReached(1)
        .then(() => ask(this.#api))
        .then(resolve, reject)
        .finally(() => {
          unsubscribe();
          this.#pending.splice(this.#pending.indexOf(awaited), 1);
        });
    });
  }

  /** From shared memory also of a dead worker; else it is asked, and null where it does not answer. */
  async readEvents(places: RingCursors): Promise<ThreadEvents | null> {
    const { name: thread, sharedEvents } = this.#worker;
    const place = places.get(thread) ?? null;
    try {
      const batch = sharedEvents
        ? readEvents(sharedEvents, place)
        : await this.call('the timeline', (api) => api.readEvents(place));
      return { ...batch, thread };
    } catch {
      return null; // Waits for the worker itself get the error.
    }
  }

  /** A worker that has ended reports no leaks. */
  async shutDown(isStreamClosed: boolean): Promise<ShutDownReport> {
    this.#isShuttingDown = true;
    try {
      return await this.call('dispose()', (api) => api.shutDown(isStreamClosed));
    } catch (error) {
      if (this.isDead) return { leaks: [], closesStream: false };
      throw error;
    }
  }
}
