import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type { GraphicsPipelineHandle, TextureHandle } from '../../rhi/commands/descriptors.js';
import { type CasterPipelines, SHADOW_FORMAT } from './caster-pipelines.js';
import type { ShadowAtlas } from './shadow-atlas.js';
import type { ShadowView } from './shadow-view.js';

/**
 * Draws the stale maps, each into its square of the atlas. The other maps are kept. If no map is stale, the
 * pass is idle but stays in the graph. So frames that draw a map have the same graph as other frames.
 */
export class ShadowPass implements GraphPass {
  readonly name = 'shadow maps';
  readonly kind = 'raster';
  /** Views whose maps are drawn in this frame. */
  readonly stale: ShadowView[] = [];
  /** Increases when the graph has another atlas. */
  version = 0;
  #texture: TextureHandle | undefined;
  #clearing: GraphicsPipelineHandle | undefined;
  /** The graph's newest version of the atlas in this frame. */
  #maps!: GraphTexture;
  #descriptor: GraphTextureDescriptor = { name: '', width: 0, height: 0, format: SHADOW_FORMAT };

  readonly #atlas: ShadowAtlas;
  readonly #pipelines: CasterPipelines;

  constructor(atlas: ShadowAtlas, pipelines: CasterPipelines) {
    this.#atlas = atlas;
    this.#pipelines = pipelines;
  }

  get isIdle(): boolean {
    return this.stale.length === 0;
  }

  /** Per frame: adds the pass, once the atlas exists. */
  addTo(graph: FrameGraph): void {
    const { width, height, texture } = this.#atlas;
    if (width === 0) return;
    if (this.#descriptor.width !== width || this.#descriptor.height !== height) {
      this.#descriptor = { name: this.name, width, height, format: SHADOW_FORMAT };
    }
    this.#maps = graph.importTexture(this.#descriptor, texture);
    graph.addPass(this);
  }

  setup(builder: PassBuilder): void {
    this.#maps = builder.depth(this.#maps);
  }

  /** Declares the read, in the set-up of a pass that reads the maps. */
  declareRead(builder: PassBuilder): void {
    if (this.#atlas.width > 0) builder.read(this.#maps, 'sampled');
  }

  /** Looks up the atlas in the graph, in `prepare` and `execute` of a pass that reads the maps. */
  resolve(context: PassContext): void {
    const texture = context.texture(this.#maps);
    if (texture !== this.#texture) this.version++;
    this.#texture = texture;
  }

  /** The atlas that `resolve` has found. Valid after `resolve`. */
  get texture(): TextureHandle {
    return this.#texture as TextureHandle;
  }

  prepare(): void {
    this.#clearing = this.#pipelines.clearing;
  }

  execute({ rhi }: PassContext): void {
    for (const view of this.stale) {
      view.isStale = false;
      const { x, y, size } = view.square;
      rhi.setViewport(x, y, size, size, 0, 1);
      rhi.setGraphicsPipeline(this.#clearing as GraphicsPipelineHandle);
      rhi.draw(3);
      view.meshes.record();
    }
    this.stale.length = 0;
  }
}
