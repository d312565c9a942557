import type { FrameGraph } from '../graph/frame-graph.js';
import type { PicturePass } from './picture/picture-pass.js';
import type { SceneViewState } from './views/scene-view-state.js';

/** Passes that modules add to the graph of every frame, besides the renderer's own passes. */
export interface AddedPasses {
  /**
   * Adds passes that run before the passes of all views. Called per frame, and per list of a capture.
   * @param isRepeated whether the list draws the frame again, for a capture
   */
  addToFrame(graph: FrameGraph, isRepeated: boolean): void;
  /** Adds passes that run after the passes that draw the view's scene. Called per frame and view. */
  addToView(graph: FrameGraph, state: SceneViewState): void;
  /**
   * Adds passes that run after the pass that draws the picture on the surface. Called per frame in which the
   * surface has pixels.
   * @param width width of the surface, in pixels
   * @param height height of the surface, in pixels
   */
  addToPicture(graph: FrameGraph, picture: PicturePass, width: number, height: number): void;
  /** Destroys the passes' resources. Called between `beginFrame` and `endFrame`. */
  dispose(): void;
}
