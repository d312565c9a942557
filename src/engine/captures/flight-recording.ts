import type { FencepostError } from '../../core/errors.js';
import type { ThreadControl } from '../../threads/control/thread-control.js';

/** Frame rate that converts the option's seconds to frames. */
const FRAMES_PER_SECOND = 60;

/**
 * Returns a capture file of the frames before an error. Returns null without recorded frames, or if an earlier error
 * with the same code has a file.
 */
export type RecordFlight = (error: FencepostError) => Promise<ArrayBuffer | null>;

/**
 * Lets the threads keep their last frames. The returned function writes them to a file, once per error code, because an
 * error that recurs every frame has one cause.
 *
 * @param seconds minimum recorded time at 60 frames per second; up to twice as much is kept
 */
export async function startFlightRecorder(control: ThreadControl, seconds: number): Promise<RecordFlight> {
  await control.startRecording(Math.max(1, Math.round(seconds * FRAMES_PER_SECOND)));
  const recorded = new Set<string>();
  return async ({ code }) => {
    if (recorded.has(code)) return null;
    recorded.add(code);
    // A failure here means that nothing was drawn yet, or that the recording thread has ended. The error itself has
    // been reported.
    const file = await control.writeRecording().catch(() => null);
    if (file === null) recorded.delete(code);
    return file;
  };
}
