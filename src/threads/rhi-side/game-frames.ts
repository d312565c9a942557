import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import type { Executor } from '../../rhi/execute/executor.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';

/**
 * Converts counts of lists to numbers of game frames. These numbers differ. While the game is late, the
 * render thread records several lists of the same game frame. A new executor counts its lists from 0 again.
 *
 *   list        1    2    3    4    5           the render thread's gate counts lists
 *   game frame  7    8    8    8    9           the game waits for frames: 8 is complete with list 2
 */
export class GameFrames {
  /** The last game frame that was submitted to the GPU. */
  readonly submitted = new PrivateFence('submitted');
  /** The last game frame that the GPU has completed. */
  readonly completed = new PrivateFence('completed');
  /** Game frames of the lists that are in flight, oldest first. */
  readonly #inFlight: number[] = [];
  #lists = 0;

  /** @param events records each signal, before its waiters are notified */
  constructor({ submitted, completed, stats }: Executor, events: EventRing) {
    submitted.subscribe(() => {
      if (submitted.error) return this.submitted.fail(submitted.error);
      this.#inFlight.push(stats.frame);
      events.mark(TimelineEvent.submitted, stats.frame, submitted.value);
      this.submitted.signal(stats.frame);
    });
    completed.subscribe(() => {
      if (completed.error) return this.completed.fail(completed.error);
      while (this.#lists < completed.value) {
        const frame = this.#inFlight.shift() ?? 0;
        events.mark(TimelineEvent.completed, frame, ++this.#lists);
        this.completed.signal(frame);
      }
    });
  }
}
