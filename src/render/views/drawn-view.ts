import type { SceneViewState } from './scene-view-state.js';

/** A view, and one bit per primitive that it may show. */
export interface DrawnView {
  readonly state: SceneViewState;
  readonly candidates: Uint32Array;
}
