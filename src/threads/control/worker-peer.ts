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

/** A worker, as this module sees it. */
export interface ControlledWorker {
  /** As in messages: "render". */
  readonly name: string;
  /** Address of its script, for messages. */
  readonly url: string;
  readonly controlPort: MessagePort;
  /** Its event ring, if memory is shared. */
  readonly sharedEvents: SharedArrayBuffer | null;
  /** The last event that it began, if known, for `lastEvent` of core/event-reader. */
  readonly lastEvent: Float64Array;
  /** Whether it has received its role. It cannot answer earlier. */
  readonly isAsked: boolean;
  /** Whether its script was started for this connection. A kept worker has run before. */
  readonly isNew: boolean;
  /** 1 once the worker has started; fails when it ends. */
  readonly life: SignallableFence;
  /** Called with every notice of the worker. */
  onNotice: ((notice: Notice) => void) | null;
  /** Sends a request. The worker answers with a notice. */
  request(request: WorkerRequest): void;
  /** Marks the worker as dead, and rejects all waits for it. */
  die(error: ThreadError): void;
}

interface WorkerPeerOptions {
  /** Returns the frame that the threads should deliver now; 0: none. */
  readonly awaitedFrame: () => number;
  /** Called with a worker that does not answer, before it is given up. */
  readonly onError: (error: FencepostError) => void;
  readonly isVisible?: () => boolean;
  readonly clock?: Clock;
  /** Returns the share of a processor that a thread gets now, 0 to 1. Default: it is measured. */
  readonly processorShare?: () => number;
}

/** Limits for the silence of a worker: see the option `watchdog`. */
interface WorkerLimits {
  readonly reportSeconds: number;
  readonly restartSeconds: number;
}

/**
 * Makes calls to one worker, and decides whether a silent worker is dead. Created with the first call, or
 * when nothing has changed for a while although something is expected. Calls wait for the worker's start.
 *
 *   call ── comlink ──► ThreadApi ──► answer ────────────────────────────┐   a call ends with its answer,
 *   is-alive (worker-watch) ──────────────────────────────► any notice ──┤   or with the worker's end
 *                                                                 none ──┘──► worker.die(error)
 */
export class WorkerPeer implements ThreadPeer {
  readonly #worker: ControlledWorker;
  /** Kept as long as the worker lives, because calls through a collected proxy never settle. */
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
    // Comlink keeps the port of a proxy, and with it all waiters for answers that will never come.
    const release = (): void => {
      if (life.error) api[releaseProxy]();
    };
    life.subscribe(release);
    release();
    const onNotice = watchWorker(worker, {
      awaited: () => {
        if (!worker.isAsked) return null;
        if (!life.isReached(1)) return 'its start';
        const frame = awaitedFrame();
        return this.#pending[0] ?? (frame > 0 ? `frame ${frame}` : null);
      },
      // Starting and ending continue while the page is hidden.
      isVisible: () => this.#isShuttingDown || !life.isReached(1) || isVisible(),
      processorShare,
      reportSeconds,
      restartSeconds,
      onSilent: onError,
      clock,
    });
    worker.onNotice = onNotice;
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
      // Before its start the worker would answer without any effect, because it has no sides yet.
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

  /**
   * Reads shared memory, even of a dead worker. Otherwise calls the worker, and returns null if it does not
   * answer.
   */
  async readEvents(places: RingCursors): Promise<ThreadEvents | null> {
    const { name: thread, sharedEvents } = this.#worker;
    const place = places.get(thread) ?? null;
    try {
      const batch = sharedEvents
        ? readEvents(sharedEvents, place)
        : await this.call('the timeline', (api) => api.readEvents(place));
      return { ...batch, thread };
    } catch {
      return null; // The error is reported by waits for the worker itself.
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
