import type { FencepostError } from '../core/errors.js';
import type { WaitableFence } from './waitable.js';

/** The two things a render command fence can stand for (SYSTEMS R4, DESIGN §4.5). */
interface FrameFences {
  /** The render thread has finished recording frame N. */
  readonly recorded: WaitableFence;
  /** Frame N was submitted to the canvas as well. */
  readonly presented: WaitableFence;
}

/**
 * A point in the render commands that the game can wait for. Beginning one costs nothing and sends nothing: the
 * frame number travels in the stream already, and all fences begun in a frame are answered by the one signal
 * that says the frame is through (R4's bundling).
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
   * Starts to stand for `frame`, whose commands must have been published.
   * @param syncToRhi false: recorded by the render thread; true: through the RHI, to the presented frame
   */
  begin(frame: number, syncToRhi = false): void {
    this.#frame = frame;
    this.#awaited = syncToRhi ? this.#fences.presented : this.#fences.recorded;
  }

  /** The frame it stands for; 0 before the first `begin`. */
  get frame(): number {
    return this.#frame;
  }

  /** True before the first `begin` as well. */
  get isComplete(): boolean {
    return this.#awaited.isReached(this.#frame);
  }

  /** The error of the fence it waits on. */
  get error(): FencepostError | null {
    return this.#awaited.error;
  }

  wait(): Promise<void> {
    return this.#awaited.whenReached(this.#frame);
  }
}
