import { type FencepostError, PlatformError, RhiError, ThreadError } from '../../core/errors.js';
import type { PipelineThread } from '../../threads/connections/connection.js';
import type { EngineEventDetails } from '../events/engine-events.js';

/**
 * What a failure means, and when to give up: the rules of restarts, without anything that does them.
 *
 *   device lost by `destroy()`      always another one: somebody asked for it
 *   device lost by itself           another one, but not the 5th time within a minute
 *   no adapter, no device           again after ¼, ½, 1, 2, 4, 8, 8 … s, for two minutes
 *   thread died, threw or hung      another one, but not the 3rd time within 10 s
 */

/** Why the threads there were can't go on. */
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
/** How long a device is looked for, in milliseconds. */
export const OUTAGE_MILLISECONDS = 120_000;

/** Whose end the error tells, where several threads may be meant. */
export const threadOf = ({ details }: FencepostError): PipelineThread =>
  details?.thread === 'RHI' ? 'RHI' : 'render';

/** What the error of a lost device says; null for any other. */
export function lossOf({ code, message, details }: FencepostError): EngineEventDetails['devicelost'] | null {
  return code === 'device-lost' ? { reason: 'unknown', message, ...details } : null;
}

/** For a backend that has no device to lose. */
export const simulatedLoss = (): FencepostError =>
  new RhiError(
    'device-lost',
    'The GPU device was lost (destroyed): It was simulated. Create a new device and everything on it.',
    { details: { reason: 'destroyed', message: 'It was simulated.' } },
  );

/** Whether there may be a device later. */
export const isOutage = ({ code }: FencepostError): boolean =>
  code === 'adapter-missing' || code === 'device-missing';

/** Milliseconds before try number `attempt` (0, 1 …) to get a device. */
export const pauseBefore = (attempt: number): number => Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt);

/** Counts failures, and says when there were too many. Times are in milliseconds. */
export class FailureCounts {
  readonly #losses: number[] = [];
  readonly #deaths = { render: [] as number[], RHI: [] as number[] };

  /** Counts one in. The error of giving up, or null: go on. */
  add({ error, thread }: Failure, now: number): FencepostError | null {
    const loss = lossOf(error);
    if (loss) {
      if (loss.reason === 'destroyed' || count(this.#losses, now, LOSS_MILLISECONDS) < MAXIMUM_LOSSES)
        return null;
      return new RhiError(
        'device-lost-repeatedly',
        `The GPU device was lost ${MAXIMUM_LOSSES} times within a minute, the last time: ${loss.message} Something that is drawn may be too much for it. Dispose of the engine, and create another with a smaller scene.`,
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

/** Adds now to the times, drops those that are too old, and says how many there are. */
function count(times: number[], now: number, milliseconds: number): number {
  times.push(now);
  while ((times[0] as number) <= now - milliseconds) times.shift();
  return times.length;
}

export function outageBegan(cause: FencepostError): FencepostError {
  return new PlatformError(
    'device-unavailable',
    `The GPU device was lost, and no other can be had yet: ${cause.message} It is tried again for ${OUTAGE_MILLISECONDS / 60_000} minutes.`,
    { cause },
  );
}

export function outageLasts(first: FencepostError): FencepostError {
  return new PlatformError(
    'device-not-restored',
    `No GPU device could be had for ${OUTAGE_MILLISECONDS / 60_000} minutes since the last one was lost. Reload the page, or restart the browser. The loss was: ${first.message}`,
    { cause: first },
  );
}
