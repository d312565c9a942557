import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import { debugViewOf } from '../keys/pass-format.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewOverlay } from '../views/view-drawers.js';
import type { CatcherPipelines } from './catcher-pipelines.js';
import type { ShadowCatcher } from './shadow-catcher.js';

/**
 * Draws the shadow catchers of a view over its opaque scene, in the order of their creation. Glass and blended surfaces
 * are drawn later, so the shadow is visible through them.
 */
export class CatcherPass implements GraphPass, ViewOverlay {
  readonly kind = 'raster';
  readonly name: string;
  readonly #state: SceneViewState;
  readonly #pipelines: CatcherPipelines;
  /** Catchers that the view shows in this frame. */
  readonly #shown: ShadowCatcher[] = [];
  #pipeline!: GraphicsPipelineHandle;

  constructor(state: SceneViewState, pipelines: CatcherPipelines) {
    this.#state = state;
    this.#pipelines = pipelines;
    this.name = `shadow catchers${state.suffix}`;
  }

  get isShown(): boolean {
    return this.#shown.length > 0;
  }

  /**
   * Per frame, outside passes: finds the catchers that the view shows, and gets their pipeline. Debug views and
   * views without shadows show none.
   * @param catchers all catchers of the world
   */
  find(catchers: readonly ShadowCatcher[]): void {
    const { layers, targets, look } = this.#state;
    const shown = this.#shown;
    shown.length = 0;
    if (debugViewOf(targets.format) !== 0 || !look.hasShadows) return;
    for (const catcher of catchers) {
      if (catcher.isPlaced && (catcher.layers & layers) !== 0) shown.push(catcher);
    }
    if (shown.length > 0) this.#pipeline = this.#pipelines.drawing(targets.format);
  }

  addPasses(graph: FrameGraph): void {
    if (this.isShown) graph.addPass(this);
  }

  setup(builder: PassBuilder): void {
    this.#state.declareReads(builder);
    for (const { resources } of this.#shown) builder.read(resources.shade.version, 'sampled');
    this.#state.targets.attachAgain(builder);
  }

  prepare(context: PassContext): void {
    this.#state.bind(context);
  }

  execute(context: PassContext): void {
    const { rhi } = context;
    rhi.setGraphicsPipeline(this.#pipeline);
    rhi.setBindGroup(0, this.#state.bindGroup(context));
    for (const { resources } of this.#shown) {
      rhi.setBindGroup(1, resources.drawing);
      rhi.draw(6);
    }
  }
}
