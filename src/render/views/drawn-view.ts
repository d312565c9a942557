import type { SceneViewState } from './scene-view-state.js';

/** A view, and which primitives it may show: one bit each. */
export interface DrawnView {
  readonly state: SceneViewState;
  readonly candidates: Uint32Array;
}
