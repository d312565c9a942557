import { type FencepostError, ThreadError } from '../../core/errors.js';
import type { Clock } from '../../sync/deadline.js';
import { evidenceOf } from '../../sync/watch/silence-evidence.js';
import { type Silence, Watchdog } from '../../sync/watch/watchdog.js';
import { withBreadcrumb } from './breadcrumb.js';
import type { Notice } from './protocol.js';
import type { ControlledWorker } from './worker-peer.js';

/** Interval of the watchdog, in milliseconds. A worker that has answered is asked again one interval later. */
const TICK = 250;

/** Time limit for fetching a worker's script and receiving its first answer, in milliseconds. */
const START_LIMIT = 10_000;

interface WorkerWatchOptions {
  /** Returns the answer that is expected of the worker now, as a noun ("frame 7"); null: none. */
  readonly awaited: () => string | null;
  /** Returns whether silence counts now. */
  readonly isVisible: () => boolean;
  /** Returns the share of a processor that a thread gets now, 0 to 1. */
  readonly processorShare: () => number;
  /** Seconds of silence after which the silence is reported. */
  readonly reportSeconds: number;
  /** Seconds of silence after which the worker is ended. */
  readonly restartSeconds: number;
  readonly onSilent: (error: FencepostError) => void;
  readonly clock: Clock | undefined;
}

/**
 * Watches a worker while something is expected of it (SYSTEMS R9). A slow worker is not hung: a frame may take seconds,
 * and compiling pipelines may take longer. The criterion is whether the worker's event loop still runs. So the worker
 * is asked for a sign of life, and counts as hung if it does not answer. A worker that handles a large load sends signs
 * of life from within its task (the notice `beat`). Silence counts only while the worker could have run and
 * the page was visible (`Watchdog`). So a starved worker is not taken for a hung one.
 *
 *   this thread  awaits frame 7 · asks │ 1 s: reports an error │ 5 s: worker is dead, and another replaces it
 *   worker A     ░░░ works ░░░░░░░ answers · asked again a tick later
 *   worker C     ░░░ uploads ♥ ░░░░░░ ♥ ░░░░░░ ♥ ░░░░░░ ♥ ░░ answers
 *   worker B     ░░░ ✕
 *
 * The watch ends when the worker ends, and a hang ends the worker.
 * @returns a function to call with each notice of the worker, which is a sign of life
 */
export function watchWorker(worker: ControlledWorker, options: WorkerWatchOptions): (notice: Notice) => void {
  const { awaited, isVisible, processorShare, reportSeconds, restartSeconds, onSilent, clock } = options;
  const { life } = worker;
  if (life.error) return () => {};
  let isAsking = false;
  /**
   * Whether the script is being fetched and compiled. A kept worker runs already, so it gets no extra time.
   */
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
      return false; // Silence begins with the question.
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
    `The ${name} worker does not answer: ${url} was started, but it is not Fencepost's worker.js, or it can't be loaded in time. Serve that file of the package there, or pass its address as workerUrl.`,
    { details: { thread: name } },
  );
}
