/**
 * Turns numbers of lists into numbers of frames, on the executing side: its fence has the last completed frame plus
 * one, so that whoever waits for frame 7 waits for 8, however many lists that took.
 */
import type { SignallableFence } from '../../sync/waitable.js';

export class FrameFence {
  readonly #fence: SignallableFence;
  readonly #pending: { readonly frame: number; readonly list: number }[] = [];

  constructor(fence: SignallableFence) {
    this.#fence = fence;
  }

  /** @param list how many lists were submitted with the end of this frame */
  submitted(frame: number, list: number, completed: number): void {
    this.#pending.push({ frame, list });
    this.completed(completed);
  }

  completed(lists: number): void {
    for (let first = this.#pending[0]; first && first.list <= lists; first = this.#pending[0]) {
      this.#pending.shift();
      this.#fence.signal(first.frame + 1);
    }
  }
}
