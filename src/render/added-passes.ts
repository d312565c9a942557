import type { FrameGraph } from '../graph/frame-graph.js';
import type { PicturePass } from './picture/picture-pass.js';
import type { SceneViewState } from './views/scene-view-state.js';

/** Passes that somebody adds to the graph of every frame, besides those of the renderer. */
export interface AddedPasses {
  /** Per frame, before the passes of all views. */
  addToFrame(graph: FrameGraph): void;
  /** Per frame and view, behind the passes that draw its scene. */
  addToView(graph: FrameGraph, state: SceneViewState): void;
  /** Per frame, behind the pass over the surface, of so many pixels; not where it has none. */
  addToPicture(graph: FrameGraph, picture: PicturePass, width: number, height: number): void;
  /** In a frame. */
  dispose(): void;
}
