import { type Remote, wrap } from 'comlink';
import { ThreadError } from '../core/errors.js';
import type { LeakReport } from '../rhi/executor.js';
import { type Clock, withDeadline } from '../sync/deadline.js';
import type { Fence } from '../sync/fence.js';
import { ANSWER_LIMIT, ThreadWatch } from '../sync/thread-watch.js';
import type { ThreadControl } from './connection.js';
import type { TracedSpans } from './frame-trace.js';
import type { WorkerApi } from './messages.js';

/**
 * What is asked of running workers beside the frames, and the judgement on those that fall silent. Loaded with
 * the first such call, or when nothing has moved for a while although something is expected; no frame needs it.
 *
 *   purge, traces, shutDown ──► comlink ──► worker ──► answer ─┐   a call ends with its answer,
 *   is it alive? (ThreadWatch) ───────────────► any answer ────┤   or with the worker's end
 *                                                     none ────┘──► worker.end(error)
 */

/** A worker as this module sees it. */
export interface ControlledWorker {
  /** As in messages: "render". */
  readonly name: string;
  /** Its script, for messages. */
  readonly url: string;
  readonly controlPort: MessagePort;
  /** Whether it was sent its role; it can answer nothing before. */
  readonly isAsked: boolean;
  /** 1 when it has started; fails at its end. */
  readonly life: Fence;
  /** It is dead: everybody who waits for it is told. */
  end(error: ThreadError): void;
}

export interface WorkerControlOptions {
  /** The frame that is expected of the threads; 0: none. */
  readonly awaitedFrame: () => number;
  /** Time for an answer, in milliseconds. Default 10 s; dispose() may take three times as long. */
  readonly limitMilliseconds?: number;
  readonly isVisible?: () => boolean;
  readonly clock?: Clock;
}

export class WorkerControl implements ThreadControl {
  readonly #calls: readonly WorkerCalls[];
  readonly #options: WorkerControlOptions;

  constructor(workers: readonly ControlledWorker[], options: WorkerControlOptions) {
    this.#options = options;
    this.#calls = workers.map((worker) => new WorkerCalls(worker, options));
  }

  async purge(): Promise<void> {
    await Promise.all(this.#calls.map((worker) => worker.call('flush()', (api) => api.purge())));
  }

  async startTrace(): Promise<void> {
    await Promise.all(this.#calls.map((worker) => worker.call('startTrace()', (api) => api.startTrace())));
  }

  async stopTrace(): Promise<readonly TracedSpans[]> {
    const ask = (worker: WorkerCalls) => worker.call('stopTrace()', (api) => api.stopTrace());
    return (await Promise.all(this.#calls.map(ask))).flat();
  }

  /**
   * In order: the render worker's destroys reach the RHI worker before that one reports. Where a worker has died,
   * nobody can tell what is a leak and what it would still have destroyed: none is reported.
   * @throws ThreadError `wait-timed-out`
   */
  async shutDown(): Promise<LeakReport> {
    const { limitMilliseconds = ANSWER_LIMIT, clock } = this.#options;
    const work = async (): Promise<LeakReport> => {
      const leaks = [];
      for (const worker of this.#calls) leaks.push(...(await worker.shutDown()).leaks);
      return { leaks: this.#calls.some((worker) => worker.isDead) ? [] : leaks };
    };
    return withDeadline(work(), {
      milliseconds: 3 * limitMilliseconds,
      waiter: 'dispose()',
      awaited: 'the workers, which were ended now, to report what was still alive',
      ...(clock ? { clock } : {}),
    });
  }
}

/** The calls to one worker that are under way, and the watch over it. */
class WorkerCalls {
  readonly #worker: ControlledWorker;
  /** Held for as long as the worker lives: calls through a collected proxy never settle. */
  readonly #api: Remote<WorkerApi>;
  readonly #pending: string[] = [];
  #isShuttingDown = false;

  constructor(worker: ControlledWorker, options: WorkerControlOptions) {
    const { awaitedFrame, limitMilliseconds, isVisible = () => !document.hidden, clock } = options;
    const { life } = worker;
    this.#worker = worker;
    this.#api = wrap<WorkerApi>(worker.controlPort);
    if (life.error) return;
    const watch = new ThreadWatch({
      thread: `The ${worker.name} worker`,
      remedy: 'Dispose of the engine and create another.',
      awaited: () => {
        if (!worker.isAsked) return null;
        if (!life.isReached(1)) return 'its start';
        const frame = awaitedFrame();
        return this.#pending[0] ?? (frame > 0 ? `frame ${frame}` : null);
      },
      ask: async () => {
        await this.#api.isAlive;
        watch.heard();
      },
      onDead: (error) => worker.end(life.isReached(1) ? error : notStarted(worker)),
      // Starting and ending go on in a hidden page.
      isVisible: () => this.#isShuttingDown || !life.isReached(1) || isVisible(),
      ...(limitMilliseconds === undefined ? {} : { limitMilliseconds }),
      clock,
    });
    life.subscribe(() => {
      if (life.error) watch.stop();
    });
  }

  get isDead(): boolean {
    return this.#worker.life.error !== null;
  }

  /** @param awaited what the answer is to, for messages */
  call<T>(awaited: string, ask: (api: Remote<WorkerApi>) => Promise<T>): Promise<T> {
    const { life } = this.#worker;
    if (life.error) return Promise.reject(life.error);
    this.#pending.push(awaited);
    return new Promise<T>((resolve, reject) => {
      const unsubscribe = life.subscribe(() => {
        if (life.error) reject(life.error);
      });
      ask(this.#api)
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
      return await this.call('dispose()', (api) => api.shutDown());
    } catch (error) {
      if (this.isDead) return { leaks: [] };
      throw error;
    }
  }
}

function notStarted({ name, url }: ControlledWorker): ThreadError {
  return new ThreadError(
    'worker-start-timeout',
    `The ${name} worker does not answer: ${url} was started, and is not Fencepost's worker.js or can't be loaded in time. Serve that file of the package there, or pass its address as workerUrl.`,
  );
}
