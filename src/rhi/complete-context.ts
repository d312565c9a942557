/**
 * The immediate context with all that a renderer's own frame does not need: listeners at the frame's end, deferred
 * lists, queues. `fencepost/rhi` exports it as `ImmediateContext`; the engine's worker carries the small one.
 *
 *   beginFrame N … passes … endFrame N ─► listeners, which may still record ─► record endFrame N
 */
import { ImmediateContext } from './immediate-context.js';

/** @param frame the one that ends; what is recorded now still belongs to it */
export type FrameListener = (frame: number) => void;

/** Where those who hold data of one frame learn that it ends (SYSTEMS L8). */
export interface FrameEnds {
  /** Calls the listener in every `endFrame`, in the order of registration. Returns what ends that. */
  onFrameFinished(listener: FrameListener): () => void;
}

export class CompleteImmediateContext extends ImmediateContext implements FrameEnds {
  readonly #frameListeners: FrameListener[] = [];
  #frame = 0;

  override beginFrame(frame: number, flags = 0): void {
    super.beginFrame(frame, flags);
    this.#frame = frame;
  }

  /** The one place that finishes a frame on the recorder's side (SYSTEMS L8); the executor has its own. */
  override endFrame(): void {
    for (const listener of this.#frameListeners) listener(this.#frame);
    super.endFrame();
  }

  onFrameFinished(listener: FrameListener): () => void {
    // A wrapper of its own, so that one function can be registered twice.
    const entry: FrameListener = (frame) => listener(frame);
    this.#frameListeners.push(entry);
    return () => {
      const index = this.#frameListeners.indexOf(entry);
      if (index >= 0) this.#frameListeners.splice(index, 1);
    };
  }
}
