/**
 * The health check of a pool worker (SYSTEMS R9). While the pool has jobs, the page asks each worker for an answer. Any
 * message counts as a sign of life. Tasks may run for any time, so the limit depends on what the worker does.
 *
 *   worker            sign of life                                 after silence
 *   no task           a message: the event loop answers at once    5 s: it is ended
 *   a task            a message, or a call that has begun          `hangSeconds`: it is ended; by default never
 *
 * Only time in which the worker could have run counts (`Watchdog`), so a starved worker is not taken for a hung one.
 * A task that runs for long is reported as slow in any case (`reportSlow`).
 */
import type { Clock } from '../../sync/deadline.js';
import { measureProcessorShare } from '../../sync/watch/processor-share.js';
import { Watchdog } from '../../sync/watch/watchdog.js';
import type { PoolWorker } from './pool-worker.js';

/** Silence after which a worker without a task is ended, in seconds. */
const IDLE_LIMIT = 5;
/** Longest and shortest interval between questions, in milliseconds. */
const LONGEST_TICK = 1000;
const SHORTEST_TICK = 25;

export interface WorkerWatchOptions {
  /** Silence during a task after which the worker is ended, in seconds. Default: no limit. */
  readonly hangSeconds?: number | undefined;
  /** Silence without a task after which the worker is ended, in seconds. Default 5. */
  readonly idleHangSeconds?: number | undefined;
  /** Returns whether jobs are pending that may need the worker. */
  readonly isBusy: () => boolean;
  /** Returns whether the worker runs a task, as far as this thread knows. */
  readonly runsTask: (worker: PoolWorker) => boolean;
  /** Returns a number that changes with each call of a task that the worker begins in shared memory. */
  readonly beatOf: (worker: PoolWorker) => number;
  /** Sends the worker a question, which it answers in its event loop. */
  readonly ask: (worker: PoolWorker) => void;
  readonly clock?: Clock | undefined;
  /** Returns the share of a processor that a thread gets now, 0 to 1. Default: measures it. */
  readonly processorShare?: (() => number) | undefined;
}

/** Watches the worker until it ends. */
export function watchPoolWorker(worker: PoolWorker, options: WorkerWatchOptions): void {
  const { hangSeconds = Infinity, idleHangSeconds = IDLE_LIMIT, clock } = options;
  const { isBusy, runsTask, beatOf, ask, processorShare = measureProcessorShare } = options;
  const shortest = Math.min(hangSeconds, idleHangSeconds) * 250;
  /** Whether the worker reads messages. It does so once its script runs and holds a lock, which may take any time. */
  let isServing = false;
  let isAsked = false;
  let runs = false;
  let beat = 0;
  const watchdog = new Watchdog({
    clock,
    processorShare,
    tickMilliseconds: Math.max(SHORTEST_TICK, Math.min(LONGEST_TICK, shortest)),
    reportMilliseconds: Infinity,
    get hangMilliseconds() {
      return 1000 * (runs ? hangSeconds : idleHangSeconds);
    },
    isExpected: () => {
      if (!isServing || worker.isLeaving) return false;
      const [ranBefore, beatBefore] = [runs, beat];
      runs = runsTask(worker);
      beat = beatOf(worker);
      if (!(runs ? hangSeconds < Infinity : isBusy())) return false;
      // The begin or end of a task is a sign of life. Silence is counted from the question on.
      const isAlive = runs !== ranBefore || beat !== beatBefore || !isAsked;
      if (!isAsked) ask(worker);
      isAsked = true;
      return !isAlive;
    },
    onSilent: () => {},
    onHang: (silence) => worker.hang(silence),
  });
  worker.onMessage = (kind) => {
    if (kind !== 'started') isServing = true;
    isAsked = false;
    watchdog.heard();
  };
  worker.onEnded = () => watchdog.stop();
}
