import type { FrameGraph } from '../../graph/frame-graph.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import { ScenePicture } from '../views/scene-picture.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewBlending } from '../views/view-drawers.js';
import { LayerPass } from './layer-passes.js';

/**
 * Transmissive surfaces, such as glass. Each layer shows a picture of everything behind it, bent and blurred:
 *
 *   opaque scene ─► picture ─► layer 0 ─► picture ─► layer 1 … ─► blended surfaces
 */
export class Transmission {
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
  }

  /**
   * Per frame, outside passes, after the views have sorted their draws: prepares the views.
   * @param exists whether there are transmissive materials. The pipelines of the passes are created in the
   * frame of the first such material, so that no frame lacks them.
   */
  prepare(views: readonly { readonly state: SceneViewState }[], exists: boolean): void {
    if (!exists) return;
    for (const { state } of views) {
      state.transmission ??= new TransmissivePasses(this.#rhi, this.#pipelines, state);
      state.transmission.prepare();
    }
  }
}

/** The passes of one view. */
class TransmissivePasses implements ViewBlending {
  readonly #state: SceneViewState;
  readonly #picture: ScenePicture;
  readonly #layers: LayerPass[] = [];
  readonly #pipelines: ScreenPipelines;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, state: SceneViewState) {
    this.#state = state;
    this.#pipelines = pipelines;
    this.#picture = new ScenePicture(rhi, pipelines, `scene behind${state.suffix}`);
  }

  prepare(): void {
    this.#picture.prepare(this.#state.look);
  }

  addPasses(graph: FrameGraph): void {
    const { meshes, targets } = this.#state;
    if (meshes.layerCount === 0) return;
    this.#picture.begin(targets);
    for (let layer = 0; layer < meshes.layerCount; layer++) {
      this.#layers[layer] ??= new LayerPass(this.#state, this.#picture.texture, layer, this.#pipelines);
      this.#picture.addPasses(graph, targets);
      graph.addPass(this.#layers[layer] as LayerPass);
    }
  }

  dispose(): void {
    this.#picture.dispose();
  }
}
