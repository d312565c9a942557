/**
 * Listener for frame ends.
 * @param frame the frame that ends. Commands that the listener records still belong to it
 */
export type FrameListener = (frame: number) => void;

/** Notifies owners of per-frame data of the end of each frame (SYSTEMS L8). */
export interface FrameEnds {
  /**
   * Calls the listener in every `endFrame`, in the order of registration.
   * @returns a function that removes the listener
   */
  onFrameFinished(listener: FrameListener): () => void;
}

/** Calls all listeners with the frame that ends, and returns the errors that they threw. */
export function notifyFrameEnd(listeners: readonly FrameListener[], frame: number): unknown[] {
  const errors: unknown[] = [];
  for (const listener of [...listeners]) {
    try {
      listener(frame);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/**
 * Adds a listener.
 * @param entry a new function object, so that one listener can be added twice
 * @returns a function that removes the entry
 */
export function addListener<Listener>(listeners: Listener[], entry: Listener): () => void {
  listeners.push(entry);
  return () => {
    const index = listeners.indexOf(entry);
    if (index >= 0) listeners.splice(index, 1);
  };
}
