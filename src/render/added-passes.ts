import type { FrameGraph } from '../graph/frame-graph.js';
import type { PicturePass } from './picture/picture-pass.js';
import type { SceneViewState } from './views/scene-view-state.js';

/** Passes that modules add to the graph of every frame, besides those of the renderer. */
export interface AddedPasses {
  /** Per frame, before the passes of all views. */
  addToFrame(graph: FrameGraph): void;
  /** Per frame and view, after the passes that draw its scene. */
  addToView(graph: FrameGraph, state: SceneViewState): void;
  /**
   * Per frame, after the pass over the surface, with the size in pixels. Not called if the surface has no
   * pixels.
   */
  addToPicture(graph: FrameGraph, picture: PicturePass, width: number, height: number): void;
  /** Called in a frame. */
  dispose(): void;
}
