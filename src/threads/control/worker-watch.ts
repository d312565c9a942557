import { type FencepostError, ThreadError } from '../../core/errors.js';
import type { Clock } from '../../sync/deadline.js';
import { evidenceOf } from '../../sync/watch/silence-evidence.js';
import { type Silence, Watchdog } from '../../sync/watch/watchdog.js';
import { withBreadcrumb } from './breadcrumb.js';
import type { Notice } from './protocol.js';
import type { ControlledWorker } from './worker-peer.js';

/** How often it is asked, in milliseconds. */
const TICK = 250;

/** Time for a script to be fetched and to answer for the first time, in milliseconds. */
const START_LIMIT = 10_000;

interface WorkerWatchOptions {
  /** The answer that is expected of the worker now, as a noun ("frame 7"); null: none. */
  readonly awaited: () => string | null;
  /** Whether silence counts now. */
  readonly isVisible: () => boolean;
  /** How much of a processor a thread gets now, 0 to 1. */
  readonly processorShare: () => number;
  /** Silence that is reported, and silence that ends the worker. */
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  readonly onSilent: (error: FencepostError) => void;
  readonly clock: Clock | undefined;
}

/**
 * Watches a worker for as long as something is expected of it (SYSTEMS R9). Slow is not hung: a frame may take seconds,
 * pipelines longer. What counts is whether the worker's event loop turns, so it is asked, and hung is one that does not
 * answer. One that works on a large load tells from within its task that it lives (the notice `beat`). Only time in
 * which the worker could have run, and the page was visible, counts (`Watchdog`): a starved worker is not a hung one.
 *
 *   this thread  awaits frame 7 · asks │ 1 s: an error says so │ 5 s: it is dead, and another takes its place
 *   worker A     ░░░ works ░░░░░░░ answers · asked again a tick later
 *   worker C     ░░░ uploads ♥ ░░░░░░ ♥ ░░░░░░ ♥ ░░░░░░ ♥ ░░ answers
 *   worker B     ░░░ ✕
 *
 * The watch ends with the worker's life, and the worker's life with its silence.
 * @returns to be called with what the worker tells: each notice is a sign of life
 */
export function watchWorker(worker: ControlledWorker, options: WorkerWatchOptions): (notice: Notice) => void {
  const { awaited, isVisible, processorShare, reportSeconds, restartSeconds, onSilent, clock } = options;
  const { life } = worker;
  if (life.error) return () => {};
  let isAsking = false;
  /** A script that is fetched and compiled; one that ran before has no more time than at any moment. */
  const isStarting = (): boolean => worker.isNew && !life.isReached(1);
  const error = (code: string, silence: Silence, seconds: number, remedy: string): ThreadError => {
    const { sentence, details } = evidenceOf(silence);
    return new ThreadError(
      code,
      `The ${worker.name} worker has not answered for ${seconds} s, and ${awaited() ?? 'nothing'} was expected of it. ${sentence} ${remedy}`,
      { details: { thread: worker.name, ...details } },
    );
  };
  const watchdog: Watchdog = new Watchdog({
    clock,
    processorShare,
    tickMilliseconds: TICK,
    get reportMilliseconds() {
      return isStarting() ? Infinity : reportSeconds * 1000;
    },
    get hangMilliseconds() {
      return isStarting() ? START_LIMIT : restartSeconds * 1000;
    },
    isExpected: () => {
      if (awaited() === null || !isVisible()) return false;
      if (isAsking) return true;
      isAsking = true;
      worker.request('is-alive');
      return false; // silence begins with the question
    },
    onSilent: (silence) =>
      onSilent(
        withBreadcrumb(
          error('thread-silent', silence, reportSeconds, `After ${restartSeconds} s it is started again.`),
          worker.lastEvent,
        ),
      ),
    onHang: (silence) =>
      worker.die(
        isStarting()
          ? notStarted(worker)
          : error('thread-not-answering', silence, restartSeconds, 'It is started again.'),
      ),
  });
  life.subscribe(() => {
    if (life.error) watchdog.stop();
  });
  return ({ kind }) => {
    if (kind === 'alive') isAsking = false;
    watchdog.heard();
  };
}

function notStarted({ name, url }: ControlledWorker): ThreadError {
  return new ThreadError(
    'worker-start-timeout',
    `The ${name} worker does not answer: ${url} was started, and is not Fencepost's worker.js or can't be loaded in time. Serve that file of the package there, or pass its address as workerUrl.`,
    { details: { thread: name } },
  );
}
