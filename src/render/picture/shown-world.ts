import type { FrameGraph } from '../../graph/frame-graph.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import type { DisplayColors } from '../keys/display-colors.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import type { Scene } from '../scene/scene.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { SmoothedWorld } from '../temporal/temporal-smoothing.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewLook } from '../views/view-look.js';
import type { ViewInfo, ViewPlace } from './view-info.js';
import type { ViewPicture } from './view-picture.js';

/** The scene of a world in one frame. */
export interface FrameScene {
  /** Makes a view of this frame. */
  createView(picture: ViewPicture, place: ViewPlace, candidates: Uint32Array): ViewInfo;
  /** Adds the view to the views whose scene is drawn, after the views that were included before. */
  include(view: ViewInfo): void;
  /** Adds the passes that draw the view's scene. */
  addPasses(graph: FrameGraph, view: ViewInfo): void;
}

/** The parts of a world that pictures of its views use. */
export interface ShownWorld extends SmoothedWorld {
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  readonly display: DisplayColors;
  readonly pipelines: PipelineCache;
  /** Draws the current frame. Between frames, its methods throw ThreadError `frame-ended`. */
  readonly frameScene: FrameScene;
  /** Creates the state of a view. */
  createView(parameters: ViewParameters, suffix: string, policy: PassPolicy): SceneViewState;
  /** Returns bits of `PassFormat` of a view in this frame. */
  passFormat(look: ViewLook): number;
  /** Creates a view with its own picture. @param id see `ViewPicture.id` */
  createPicture(parameters: ViewParameters, suffix: string, id: number): ViewPicture;
}
