/**
 * A loop of another thread that stays with the pool (SYSTEMS T14). The render thread's culling is one. The workers that
 * serve the high set take ranges of it whenever they are free. It has no jobs and no slots, so a loop of some hundred
 * microseconds costs one wake-up per sleeping worker.
 *
 *   the loop's thread   arguments, ranges ─► epoch ─► `wakeAll` of the high set ─► its own ranges ─► results
 *   a worker            hasWork? ─► takePart ─► queues ─► asleep ─► hasWork? ─► sleeps
 *
 * No wake-up is lost, by the same order as for jobs. The loop writes its epoch before it looks for sleepers.
 * A worker marks itself asleep before it looks at the epoch for the last time.
 */

/** A worker's part in a resident loop. */
export interface ResidentLoop {
  /** Whether there may be ranges that this thread has not looked at. False while `isWaiting`. */
  readonly hasWork: boolean;
  /** Whether a memory is missing, so that the thread has to return to its event loop for the message. */
  readonly isWaiting: boolean;
  /** Takes ranges until none is left, or a memory is missing. */
  takePart(): void;
  /** Receives a message of the loop's thread. */
  hear(message: unknown): void;
}

/**
 * Opens a worker's part in a loop.
 * @param memory the loop's shared words
 * @param thread number of the worker among the threads of the pool, from 1
 * @param events ring for the worker's events; `null` without a timeline
 */
export type OpenResidentLoop = (
  memory: SharedArrayBuffer,
  thread: number,
  events: ArrayBufferLike | null,
) => ResidentLoop;

/** Description of a resident loop, for the page's part of the pool. */
export interface ResidentLoopSource {
  readonly memory: SharedArrayBuffer;
  /** Returns the messages that a worker needs before it can take part. */
  messages(): Iterable<unknown>;
}
