import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { DrawBehind, SceneViewState } from './scene-view-state.js';

/** The pass of a view that draws its scene in the forward renderer: the background, then the meshes. */
export class ScenePass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  /** Whether nothing is drawn, because there is no camera. */
  isEmpty = false;
  /** Draws the background behind all meshes. Called while bind group 0 is set. */
  drawBehind: DrawBehind | undefined;

  readonly #state: SceneViewState;

  constructor(state: SceneViewState) {
    this.name = `scene${state.suffix}`;
    this.#state = state;
  }

  setup(builder: PassBuilder): void {
    const { targets } = this.#state;
    if (this.isEmpty) this.#state.declareReads(builder);
    else this.#state.declareLitReads(builder);
    targets.create(builder);
    targets.attach(builder);
  }

  prepare(context: PassContext): void {
    if (!this.isEmpty) this.#state.bindLit(context);
  }

  execute(context: PassContext): void {
    if (this.isEmpty) return;
    const { drawBehind } = this;
    if (drawBehind) {
      context.rhi.setBindGroup(0, this.#state.bindGroup(context));
      drawBehind(context, this.#state.targets.format);
    }
    this.#state.record(context);
  }
}
