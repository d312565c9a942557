import { EventRing, TimelineEvent } from '../../core/events/event-ring.js';

/**
 * Counts presented frames. A frame is presented once it was submitted to the canvas and completed on the GPU. At most
 * one frame counts per animation-frame interval, because a canvas shows one picture per interval.
 *
 *   interval   │   1   │   2   │   3   │
 *   submitted  │ 4   5 │ 6     │       │
 *   counted    │ 4     │ 6     │       │    each when its GPU work completes
 */
export class PresentationCounter {
  /** Running total. */
  presentedFrames = 0;
  /** Time at which the interval's picture was submitted; 0: not yet. */
  #began = 0;
  #frame = 0;
  /** Lists that count once the GPU has completed them, oldest first. All are in flight. */
  readonly #awaiting: number[] = [];
  readonly #beginInterval = (): void => {
    this.#events.end(TimelineEvent.present, this.#frame, this.#began);
    this.#began = 0;
  };
  readonly #requestFrame: ((callback: () => void) => unknown) | null;
  readonly #events: EventRing;

  /**
   * @param requestFrame calls back at the next animation frame; null: every frame is counted
   * @param events records each presentation, from the submission to that animation frame
   */
  constructor(requestFrame: ((callback: () => void) => unknown) | null, events = new EventRing()) {
    this.#requestFrame = requestFrame;
    this.#events = events;
  }

  /**
   * Records a submitted list. Call it per list, right after the submission.
   * @param frame game frame that the list draws
   */
  frameSubmitted(list: number, frame = list): void {
    if (this.#began) return;
    this.#awaiting.push(list);
    if (this.#requestFrame) {
      this.#frame = frame;
      this.#began = performance.now();
      this.#requestFrame(this.#beginInterval);
    }
  }

  /** Counts presented frames up to `list`. Call it per list, when the GPU has completed every list up to `list`. */
  frameCompleted(list: number): void {
    while (this.#awaiting.length > 0 && (this.#awaiting[0] as number) <= list) {
      this.#awaiting.shift();
      this.presentedFrames++;
    }
  }
}
