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

/** The interface through which a peer uses its worker. */
export interface ControlledWorker {
  /** Name of the worker in messages, such as "render". */
  readonly name: string;
  /** Address of its script, for messages. */
  readonly url: string;
  readonly controlPort: MessagePort;
  /** Its event ring, if memory is shared. */
  readonly sharedEvents: SharedArrayBuffer | null;
  /** Header of the event ring, for `lastEvent` of core/events/event-reader; empty if unknown. */
  readonly lastEvent: Float64Array;
  /** Whether the worker has received its role. It cannot answer earlier. */
  readonly isAsked: boolean;
  /** Whether its script was started for this connection. A kept worker has run before. */
  readonly isNew: boolean;
  /** Reaches 1 once the worker has started; fails when the worker ends. */
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
  /** Called with the error of a silent worker, before the worker counts as dead. */
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
 * Makes calls to one worker, and decides whether a silent worker is dead. A peer is created with the first call, or
 * when a frame or a start is overdue. Calls wait for the worker's start.
 *
 *   call ── comlink ──► ThreadApi ──► answer ────────────────────────────┐   a call ends with its answer,
 *   is-alive (worker-watch) ──────────────────────────────► any notice ──┤   or with the worker's end
 *                                                                 none ──┘──► worker.die(error)
 */
export class WorkerPeer implements ThreadPeer {
  readonly #worker: ControlledWorker;
  /** Kept as long as the worker lives, because calls through a garbage-collected proxy never settle. */
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
    // Release the proxy of a dead worker. Otherwise comlink would keep the worker's port and all pending calls.
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
      // While the worker starts or shuts down, silence counts on a hidden page too.
      isVisible: () => this.#isShuttingDown || !life.isReached(1) || isVisible(),
      processorShare,
      reportSeconds,
      restartSeconds,
      onSilent: onError,
      clock,
    });
    worker.onNotice = onNotice;
  }

  get name(): string {
    return this.#worker.name;
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
      // Call only after the start. A worker that does not run its role yet would answer without any effect.
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
   * Reads the worker's events from shared memory, even if the worker is dead. Without shared memory, calls the worker,
   * and returns null if it does not answer.
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
      return null; // Waits for the worker report the error.
    }
  }

  /** Shuts the worker down. A worker that has ended reports no leaks. */
  async shutDown(isStreamClosed: boolean): Promise<ShutDownReport> {
    this.#isShuttingDown = true;
    try {
      return await this.call('dispose()', (api) => api.shutDown(isStreamClosed));
    } catch (error) {
      if (this.isDead) return { executed: null, recorded: null, closesStream: false };
      throw error;
    }
  }
}
