import type { Executor } from '../rhi/executor.js';
import { Fence } from '../sync/fence.js';

/**
 * Turns counts of lists into numbers of game frames, beside the executor. The two differ: the render thread records
 * further lists of the same game frame while the game is late, and a new executor counts from 0 again.
 *
 *   list        1    2    3    4    5           the render thread's gate counts lists
 *   game frame  7    8    8    8    9           the game waits for frames: 8 is complete with list 2
 */
export class GameFrames {
  /** The last game frame that was submitted to the canvas. */
  readonly submitted = new Fence('submitted');
  /** The last one that the GPU has completed. */
  readonly completed = new Fence('completed');
  /** Frames of the lists that are with the GPU, oldest first. */
  readonly #inFlight: number[] = [];
  #lists = 0;

  constructor({ submitted, completed, stats }: Executor) {
    submitted.subscribe(() => {
      if (submitted.error) return this.submitted.fail(submitted.error);
      this.#inFlight.push(stats.frame);
      this.submitted.signal(stats.frame);
    });
    completed.subscribe(() => {
      if (completed.error) return this.completed.fail(completed.error);
      for (; this.#lists < completed.value; this.#lists++) this.completed.signal(this.#inFlight.shift() ?? 0);
    });
  }
}
