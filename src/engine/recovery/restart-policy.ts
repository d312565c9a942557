import { type FencepostError, PlatformError, RhiError, ThreadError } from '../../core/errors.js';
import type { PipelineThread } from '../../threads/connections/connection.js';
import type { EngineEventDetails } from '../events/engine-events.js';

/**
 * The reason why the threads can't continue. This file defines the rules of restarts, and `restart.ts` applies them:
 *
 *   device lost by `destroy()`      always a new device, because the loss was requested
 *   device lost by itself           a new device, but not after the 5th loss within a minute
 *   no adapter, no device           retry after ¼, ½, 1, 2, 4, 8, 8 … s, for two minutes
 *   thread died, threw or hung      a new thread, but not after the 3rd end within 10 s
 */
export interface Failure {
  readonly error: FencepostError;
  readonly thread: PipelineThread;
}

const MAXIMUM_LOSSES = 5;
const LOSS_MILLISECONDS = 60_000;
const MAXIMUM_DEATHS = 3;
const DEATH_MILLISECONDS = 10_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8000;
/** Time limit of the search for another device, in milliseconds. */
export const OUTAGE_MILLISECONDS = 120_000;

/** Returns the thread whose end the error reports. */
export const threadOf = ({ details }: FencepostError): PipelineThread =>
  details?.thread === 'RHI' ? 'RHI' : 'render';

/** Returns the event detail of a device loss; null for other errors. */
export function lossOf({ code, message, details }: FencepostError): EngineEventDetails['devicelost'] | null {
  return code === 'device-lost' ? { reason: 'unknown', message, ...details } : null;
}

/** Returns the error of a simulated loss, for the backend without a device. */
export const simulatedLoss = (): FencepostError =>
  new RhiError(
    'device-lost',
    'The GPU device was lost (destroyed): It was simulated. Create a new device and everything on it.',
    { details: { reason: 'destroyed', message: 'It was simulated.' } },
  );

/** Returns whether the error may be temporary: a device may become available later. */
export const isOutage = ({ code }: FencepostError): boolean =>
  code === 'adapter-missing' || code === 'device-missing';

/** Returns the pause in milliseconds after the failed attempt number `attempt` (0, 1 …) to get a device. */
export const pauseBefore = (attempt: number): number => Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt);

/** Counts failures, and decides when there were too many. Times are in milliseconds. */
export class FailureCounts {
  readonly #losses: number[] = [];
  readonly #deaths = { render: [] as number[], RHI: [] as number[] };

  /** Counts a failure. @returns the error with which to give up; null to restart */
  add({ error, thread }: Failure, now: number): FencepostError | null {
    const loss = lossOf(error);
    if (loss) {
      if (loss.reason === 'destroyed' || count(this.#losses, now, LOSS_MILLISECONDS) < MAXIMUM_LOSSES)
        return null;
      return new RhiError(
        'device-lost-repeatedly',
        `The GPU device was lost ${MAXIMUM_LOSSES} times within a minute, the last time: ${loss.message} The scene may be too demanding for the GPU. Dispose of the engine, and create another with a smaller scene.`,
        { cause: error },
      );
    }
    if (count(this.#deaths[thread], now, DEATH_MILLISECONDS) < MAXIMUM_DEATHS) return null;
    return new ThreadError(
      'thread-given-up',
      `The ${thread} thread has ended ${MAXIMUM_DEATHS} times within ${DEATH_MILLISECONDS / 1000} s and is not started again. The last time: ${error.message}`,
      { cause: error },
    );
  }
}

/** Adds `now` to the times, and drops times older than `milliseconds`. @returns the count of times left, with `now` */
function count(times: number[], now: number, milliseconds: number): number {
  times.push(now);
  while ((times[0] as number) <= now - milliseconds) times.shift();
  return times.length;
}

export function outageBegan(cause: FencepostError): FencepostError {
  return new PlatformError(
    'device-unavailable',
    `The GPU device was lost, and no other device is available yet: ${cause.message} The engine retries for ${OUTAGE_MILLISECONDS / 60_000} minutes.`,
    { cause },
  );
}

export function outageLasts(first: FencepostError): FencepostError {
  return new PlatformError(
    'device-not-restored',
    `No GPU device was available for ${OUTAGE_MILLISECONDS / 60_000} minutes since the last device was lost. Reload the page, or restart the browser. The loss was: ${first.message}`,
    { cause: first },
  );
}
