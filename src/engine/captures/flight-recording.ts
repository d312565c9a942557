import type { FencepostError } from '../../core/errors.js';
import type { ThreadControl } from '../../threads/control/thread-control.js';

/** Frames a second by which the option's seconds are meant. */
const FRAMES_PER_SECOND = 60;

/** Answers an error with what led to it; null where there is nothing to tell. */
export type RecordFlight = (error: FencepostError) => Promise<ArrayBuffer | null>;

/**
 * Has the threads keep their last frames, and writes them down when an error is reported: once per error code, because
 * an error that comes back every frame has one cause.
 *
 * @param seconds kept at least; up to twice as many
 */
export async function startFlightRecorder(control: ThreadControl, seconds: number): Promise<RecordFlight> {
  await control.startRecording(Math.max(1, Math.round(seconds * FRAMES_PER_SECOND)));
  const recorded = new Set<string>();
  return async ({ code }) => {
    if (recorded.has(code)) return null;
    recorded.add(code);
    // Nothing was drawn yet, or the thread that kept it is gone; the error itself has been reported.
    const file = await control.writeRecording().catch(() => null);
    if (file === null) recorded.delete(code);
    return file;
  };
}
