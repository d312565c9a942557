import { StateError } from '../core/errors.js';
import { RenderCommandFence } from './render-command-fence.js';
import type { WaitableFence } from './waitable.js';

/**
 * Keeps the game at most one frame ahead of the render thread (SYSTEMS R5). The end of each frame begins one of two
 * render command fences, in turn. After frame N, the game waits for frame N − 1 with lag, and for frame N without lag.
 *
 *   lag on    game    | 1 | 2 |···| 3 |···| 4 |          ··· waits
 *             render      |   1   |   2   |   3   |
 *             fence   A:1 B:2     A:3     B:4            A or B begun, for frame N
 *                                 └ frame 3 may start: A (frame 1) is complete; B (frame 2) need not be
 *
 *   lag off   game    | 1 |·······| 2 |·······| 3 |
 *             render      |   1   |   |   2   |
 *
 * The caller reads `isReady` before a frame. If it is false, the caller starts the frame as soon as
 * `whenReady` resolves. Waiting for the next animation frame would lower the frame rate. Nothing spins and
 * nothing blocks. The caller chooses the `rendered` fence: frames recorded, or frames presented
 * (`frameSync`).
 */
export class FrameEndSync {
  readonly #rendered: WaitableFence;
  readonly #fences: readonly [RenderCommandFence, RenderCommandFence];
  /** The fence that was begun last: 0 or 1. */
  #current: 0 | 1 = 0;
  #lag: boolean;
  readonly #lagListeners = new Set<() => void>();

  /**
   * @param rendered reaches N when frame N is complete; its value must be below the number of the first frame
   */
  constructor(rendered: WaitableFence, options: { readonly lag: boolean }) {
    const fences = { recorded: rendered, presented: rendered };
    this.#rendered = rendered;
    this.#fences = [new RenderCommandFence(fences), new RenderCommandFence(fences)];
    this.#lag = options.lag;
  }

  /** Whether the game may run one frame ahead. A change applies at once, also to pending `whenReady` calls. */
  get lag(): boolean {
    return this.#lag;
  }

  set lag(lag: boolean) {
    if (this.#lag === lag) return;
    this.#lag = lag;
    for (const listener of [...this.#lagListeners]) listener();
  }

  /** True when the game may start its next frame. After a failure it stays false and `whenReady` rejects. */
  get isReady(): boolean {
    return this.#rendered.error === null && this.#awaited.isComplete;
  }

  /** The frame that must be complete before the next frame may start; for messages and statistics. */
  get awaitedFrame(): number {
    return this.#awaited.frame;
  }

  /** Resolves when `isReady` is true; rejects with the fence's error. */
  whenReady(): Promise<void> {
    if (this.#rendered.error) return Promise.reject(this.#rendered.error);
    if (this.isReady) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const awaited = this.#awaited;
      // A switch of the lag changes the frame that pending waits wait for.
      const switched = new Promise<void>((changed) => {
        this.#lagListeners.add(changed);
        const forget = () => this.#lagListeners.delete(changed);
        awaited.wait().then(
          () => {
            forget();
            resolve();
          },
          (error) => {
            forget();
            if (this.#awaited === awaited) reject(error);
          },
        );
      });
      switched.then(() => this.whenReady().then(resolve, reject));
    });
  }

  /**
   * Begins the fence of `frame`, whose commands the game has just published. The limit with lag applies in both modes,
   * because the lag may have been switched off since the frame began.
   * @throws StateError `frame-overrun` if the frame before the last ended frame is not complete, or frames end out of
   * order
   */
  endFrame(frame: number): void {
    const other = this.#current === 0 ? 1 : 0;
    const fence = this.#fences[other];
    const newest = this.#fences[this.#current].frame;
    if (!fence.isComplete || frame <= newest) {
      const reason = fence.isComplete
        ? `after frame ${newest}. End frames in ascending order.`
        : `before frame ${fence.frame} was complete. Start a frame only when isReady is true.`;
      throw new StateError('frame-overrun', `Frame ${frame} ended ${reason}`);
    }
    this.#current = other;
    fence.begin(frame);
  }

  get #awaited(): RenderCommandFence {
    return this.#fences[this.#lag ? 1 - this.#current : this.#current];
  }
}
