import type { FrameGraph } from '../../graph/frame-graph.js';
import type { DrawnView } from '../views/drawn-view.js';

/** Passes of a view that combine or compare a frame with the last frame. */
export interface TemporalPasses {
  /**
   * Records uploads and creations for the passes. Called outside passes, in each frame that shows the view, after the
   * view has been prepared.
   * @param frame number of the frame
   * @param isRedrawn whether the frame draws the last frame again, to read it back
   */
  prepare(view: DrawnView, frame: number, isRedrawn: boolean): void;
  /** Per frame, after the passes of the scene: adds the passes. Their result replaces scene colour. */
  addPasses(graph: FrameGraph): void;
  dispose(): void;
}
