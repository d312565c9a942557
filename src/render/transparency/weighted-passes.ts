import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  ColorOptions,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type {
  BindGroupHandle,
  GraphicsPipelineHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { SHARE_FORMAT, SUM_FORMAT } from '../pipelines/weighted-targets.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewBlending } from '../views/view-drawers.js';
import { WeightedPipelines } from './weighted-pipelines.js';

/**
 * Blended surfaces that are added up with weights instead of being sorted (McGuire and Bavoil, JCGT 2013). Nearer
 * surfaces have larger weights. The result does not depend on their order, so surfaces may intersect.
 *
 *   surfaces ──► sums           Σ colour · alpha · weight, Σ alpha · weight ─┐
 *            └─► visible share  Π (1 − alpha) ───────────────────────────────┴─► weighted mean over scene colour
 */
export class WeightedPasses {
  readonly #pipelines: WeightedPipelines;
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    this.#pipelines = new WeightedPipelines(rhi);
  }

  /** Per frame, outside passes: prepares the views whose look asks for weights, and releases the passes of others. */
  prepare(views: readonly { readonly state: SceneViewState }[]): void {
    for (const { state } of views) {
      if (state.look.isWeighted) {
        state.weighting ??= new ViewWeighting(this.#rhi, this.#pipelines, state);
        state.weighting.prepare();
      } else {
        state.weighting?.dispose();
        state.weighting = undefined;
      }
    }
  }

  dispose(): void {
    this.#pipelines.dispose();
  }
}

/** The passes of one view. */
class ViewWeighting implements ViewBlending {
  readonly #state: SceneViewState;
  readonly #pipelines: WeightedPipelines;
  readonly #sumPass: SumPass;
  readonly #blendPass: BlendPass;

  constructor(rhi: ImmediateContext, pipelines: WeightedPipelines, state: SceneViewState) {
    this.#state = state;
    this.#pipelines = pipelines;
    this.#sumPass = new SumPass(state);
    this.#blendPass = new BlendPass(rhi, pipelines, state, this.#sumPass);
  }

  /** Creates the pipelines in the first frame of the look, which waits for pipelines. */
  prepare(): void {
    const { format, colorFormat } = this.#state.targets;
    this.#pipelines.get(format, colorFormat);
  }

  addPasses(graph: FrameGraph): void {
    if (!this.#state.meshes.hasWeighted) return;
    graph.addPass(this.#sumPass);
    graph.addPass(this.#blendPass);
  }

  dispose(): void {
    this.#blendPass.dispose();
  }
}

const NAMES = ['weighted sums', 'visible shares', 'weighted unmapped sums'] as const;
const FORMATS = [SUM_FORMAT, SHARE_FORMAT, SUM_FORMAT] as const;
const NOTHING = { clear: [0, 0, 0, 0] } as const;
const EVERYTHING = { clear: [1, 1, 1, 1] } as const;
const CLEARS: readonly ColorOptions[] = [NOTHING, EVERYTHING, NOTHING];
const READ_ONLY = { readOnly: true };

/** Adds up the weighted surfaces in targets of their own. Surfaces behind the scene's depth are hidden. */
class SumPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** Newest versions of the targets in this frame. */
  readonly textures: GraphTexture[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];
  readonly #state: SceneViewState;

  constructor(state: SceneViewState) {
    this.#state = state;
    this.name = `weighted surfaces${state.suffix}`;
  }

  setup(builder: PassBuilder): void {
    const { targets } = this.#state;
    this.#describe();
    this.#state.declareLitReads(builder);
    const count = targets.unmappedColor === undefined ? 2 : 3;
    this.textures.length = count;
    for (let index = 0; index < count; index++) {
      const texture = builder.createTexture(this.#descriptors[index] as GraphTextureDescriptor);
      this.textures[index] = builder.color(texture, CLEARS[index]);
    }
    builder.depth(targets.depth, READ_ONLY);
  }

  prepare(context: PassContext): void {
    this.#state.bindLit(context);
  }

  execute(context: PassContext): void {
    this.#state.recordWeighted(context);
  }

  #describe(): void {
    const { width, height, sampleCount } = this.#state.targets;
    const [first] = this.#descriptors;
    if (first?.width === width && first.height === height && first.sampleCount === sampleCount) return;
    this.#descriptors = NAMES.map((name, index) => ({
      name: `${name}${this.#state.suffix}`,
      width,
      height,
      sampleCount,
      format: FORMATS[index] as GPUTextureFormat,
    }));
  }
}

/** Blends the sums over the colours of the scene. */
class BlendPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #rhi: ImmediateContext;
  readonly #pipelines: WeightedPipelines;
  readonly #state: SceneViewState;
  readonly #sums: SumPass;
  #draws: readonly GraphicsPipelineHandle[] = [];
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names. */
  readonly #named: TextureHandle[] = [];

  constructor(rhi: ImmediateContext, pipelines: WeightedPipelines, state: SceneViewState, sums: SumPass) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#state = state;
    this.#sums = sums;
    this.name = `weighted blending${state.suffix}`;
  }

  setup(builder: PassBuilder): void {
    for (const texture of this.#sums.textures) builder.read(texture, 'sampled');
    this.#state.targets.attachColors(builder);
  }

  prepare(context: PassContext): void {
    const { format, colorFormat } = this.#state.targets;
    const { layout, pipelines } = this.#pipelines.get(format, colorFormat);
    const named = this.#named;
    const { textures } = this.#sums;
    let isSame =
      this.#bindGroup !== undefined && pipelines === this.#draws && named.length === textures.length;
    this.#draws = pipelines;
    named.length = textures.length;
    for (let index = 0; index < textures.length; index++) {
      const texture = context.texture(textures[index] as GraphTexture);
      isSame &&= texture === named[index];
      named[index] = texture;
    }
    if (isSame) return;
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = this.#rhi.createBindGroup({
      label: 'weighted blending',
      layout,
      entries: named.map((texture, binding) => ({ binding, view: { texture } })),
    });
  }

  execute({ rhi }: PassContext): void {
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    for (const pipeline of this.#draws) {
      rhi.setGraphicsPipeline(pipeline);
      rhi.draw(3);
    }
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }
}
