import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';

/** Draws one layer of transmissive surfaces over scene colour. They show the picture of everything behind the layer. */
export class LayerPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #state: SceneViewState;
  readonly #picture: ScreenTexture;
  readonly #layer: number;
  /** Version of the picture that the layer reads in this frame. */
  #read!: GraphTexture;
  readonly #pipelines: ScreenPipelines;

  constructor(state: SceneViewState, picture: ScreenTexture, layer: number, pipelines: ScreenPipelines) {
    this.#state = state;
    this.#picture = picture;
    this.#layer = layer;
    this.#pipelines = pipelines;
    this.name = `transmission ${layer + 1}${state.suffix}`;
  }

  setup(builder: PassBuilder): void {
    this.#state.declareReads(builder);
    this.#read = this.#picture.version as GraphTexture;
    builder.read(this.#read, 'sampled');
    this.#state.targets.attach(builder);
  }

  prepare(context: PassContext): void {
    // All layers have the same bind group, because they read the same texture.
    if (this.#layer > 0) this.#state.bind(context);
    else {
      this.#state.bindLayers(context, context.texture(this.#read), this.#pipelines.sampler);
    }
  }

  execute(context: PassContext): void {
    this.#state.recordLayer(context, this.#layer);
  }
}
