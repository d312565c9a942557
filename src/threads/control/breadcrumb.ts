import { type FencepostError, ThreadError } from '../../core/errors.js';
import { lastEvent } from '../../core/events/event-reader.js';

/**
 * Returns the error with an added sentence about the last event that the thread began.
 * @param header header of the thread's event ring, which `lastEvent` reads; undefined if unknown
 */
export function withBreadcrumb(error: FencepostError, header: Float64Array | undefined): FencepostError {
  const last = header && lastEvent(header);
  if (!last) return error;
  const seconds = (last.millisecondsAgo / 1000).toFixed(1);
  const frame = last.frame > 0 ? ` of frame ${last.frame}` : '';
  return new ThreadError(
    error.code,
    `${error.message} Its last event was "${last.name}"${frame}, ${seconds} s before.`,
    { cause: error, details: error.details },
  );
}
