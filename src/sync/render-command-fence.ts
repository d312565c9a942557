import type { FencepostError } from '../core/errors.js';
import type { WaitableFence } from './waitable.js';

/** The two fences that a render command fence can wait for (SYSTEMS R4). */
interface FrameFences {
  /** Reaches N when the render thread has finished recording frame N. */
  readonly recorded: WaitableFence;
  /** Reaches N when frame N has been submitted to the canvas. */
  readonly presented: WaitableFence;
}

/**
 * A point in the render commands that the game can wait for. `begin` costs nothing and sends nothing, because the frame
 * number travels in the stream already. One signal, for the frame's end, completes all fences begun in that frame
 * (R4's bundling).
 */
export class RenderCommandFence {
  readonly #fences: FrameFences;
  #awaited: WaitableFence;
  #frame = 0;

  constructor(fences: FrameFences) {
    this.#fences = fences;
    this.#awaited = fences.recorded;
  }

  /**
   * Makes the fence wait for `frame`, whose commands must have been published.
   * @param syncToRhi false waits until the render thread has recorded the frame; true, until the frame is presented
   */
  begin(frame: number, syncToRhi = false): void {
    this.#frame = frame;
    this.#awaited = syncToRhi ? this.#fences.presented : this.#fences.recorded;
  }

  /** The frame that the fence waits for; 0 before the first `begin`. */
  get frame(): number {
    return this.#frame;
  }

  /** True when the frame is complete, and before the first `begin`. */
  get isComplete(): boolean {
    return this.#awaited.isReached(this.#frame);
  }

  /** The error of the awaited fence, or `null`. */
  get error(): FencepostError | null {
    return this.#awaited.error;
  }

  wait(): Promise<void> {
    return this.#awaited.whenReached(this.#frame);
  }
}
