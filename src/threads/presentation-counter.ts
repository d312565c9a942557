/**
 * Counts presented frames: submitted to the canvas and completed on the GPU, at most one per animation-frame
 * interval, because a canvas shows one picture per interval however often it is drawn.
 *
 *   interval   │   1   │   2   │   3   │
 *   submitted  │ 4   5 │ 6     │       │
 *   counted    │ 4     │ 6     │       │    each when its GPU work completes
 */
export class PresentationCounter {
  /** Running total. */
  presentedFrames = 0;
  #isIntervalFresh = true;
  /** Frames counted but not yet completed, oldest first; never longer than the frames in flight. */
  readonly #awaiting: number[] = [];
  readonly #beginInterval = (): void => {
    this.#isIntervalFresh = true;
  };
  readonly #requestFrame: ((callback: () => void) => unknown) | null;

  /** @param requestFrame calls back at the next animation frame; null counts every frame. */
  constructor(requestFrame: ((callback: () => void) => unknown) | null) {
    this.#requestFrame = requestFrame;
  }

  /** Per frame: call right after frame `frame` was submitted. */
  frameSubmitted(frame: number): void {
    if (!this.#isIntervalFresh) return;
    this.#awaiting.push(frame);
    if (this.#requestFrame) {
      this.#isIntervalFresh = false;
      this.#requestFrame(this.#beginInterval);
    }
  }

  /** Per frame: the GPU has completed every frame up to `frame`. */
  frameCompleted(frame: number): void {
    while (this.#awaiting.length > 0 && (this.#awaiting[0] as number) <= frame) {
      this.#awaiting.shift();
      this.presentedFrames++;
    }
  }
}
