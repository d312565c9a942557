import type { FrameGraph } from '../../graph/frame-graph.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassPolicy } from '../draws/mesh-pass.js';
import type { DisplayColors } from '../keys/display-colors.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import type { Scene } from '../scene/scene.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewLook } from '../views/view-look.js';
import type { ViewOutput } from './view-output.js';

/** The parts of a world that pictures of its views use. */
export interface ShownWorld {
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  readonly display: DisplayColors;
  readonly sceneRenderer: {
    readonly pipelines: PipelineCache;
    createView(parameters: ViewParameters, suffix: string, policy: PassPolicy): SceneViewState;
    addPasses(graph: FrameGraph, state: SceneViewState, isEmpty: boolean): void;
  };
  /** Views of this frame whose scene is drawn. */
  readonly drawn: DrawnView[];
  /** Returns bits of `PassFormat` of a view in this frame. */
  passFormat(look: ViewLook): number;
  /** Creates a view with its own picture. @param id see `ViewOutput.id` */
  createOutput(parameters: ViewParameters, suffix: string, id: number): ViewOutput;
}
