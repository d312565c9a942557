import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type { BindGroupHandle, BufferHandle, TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { HistoryTextures } from './history-textures.js';
import { HISTORY_FORMAT, type TemporalPipelines } from './temporal-pipelines.js';

const NOTHING = { clear: [0, 0, 0, 0] } as const;

interface TemporalPassOptions {
  readonly rhi: ImmediateContext;
  readonly pipelines: TemporalPipelines;
  readonly screenPipelines: ScreenPipelines;
  readonly state: SceneViewState;
  readonly motion: ScreenTexture;
  readonly history: HistoryTextures;
  readonly uniforms: BufferHandle;
}

/** Mixes the picture of this frame with the history. The result replaces the colours in the scene's targets. */
export class TemporalPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #options: TemporalPassOptions;
  /** Textures that the pass reads, in the order of their bindings: 0, then 3 and higher. */
  readonly #sources: GraphTexture[] = [];
  /** Textures in the bind group. */
  readonly #named: (TextureHandle | undefined)[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];
  #bindGroup: BindGroupHandle | undefined;

  constructor(options: TemporalPassOptions) {
    this.#options = options;
    this.name = `temporal smoothing${options.state.suffix}`;
  }

  setup(builder: PassBuilder): void {
    const { state, motion, history } = this.#options;
    const { targets } = state;
    const sources = this.#sources;
    this.#describe();
    sources.length = 0;
    sources.push(targets.color, motion.version as GraphTexture);
    sources.push(history.textures[0] as GraphTexture, history.textures[1] as GraphTexture);
    if (targets.unmappedColor !== undefined)
      sources.push(targets.unmappedColor, history.textures[2] as GraphTexture);
    for (let index = 0; index < sources.length; index++)
      builder.read(sources[index] as GraphTexture, 'sampled');
    for (let index = 0; index < history.count; index++) {
      const texture = builder.createTexture(this.#descriptors[index] as GraphTextureDescriptor);
      history.results[index] = builder.color(texture, NOTHING);
    }
    targets.color = history.results[0] as GraphTexture;
    if (targets.unmappedColor !== undefined) targets.unmappedColor = history.results[2] as GraphTexture;
  }

  prepare(context: PassContext): void {
    const sources = this.#sources;
    const named = this.#named;
    let areSame = this.#bindGroup !== undefined && named.length === sources.length;
    for (let index = 0; index < sources.length; index++) {
      const texture = context.texture(sources[index] as GraphTexture);
      areSame &&= texture === named[index];
      named[index] = texture;
    }
    named.length = sources.length;
    if (areSame) return;
    const { rhi, screenPipelines, uniforms } = this.#options;
    rhi.destroy(this.#bindGroup);
    const views = named.map((texture) => ({ view: { texture: texture as TextureHandle } }));
    const [color, ...others] = views;
    this.#bindGroup = rhi.createBindGroup({
      label: 'temporal smoothing',
      layout: this.#pipeline.layout,
      entries: [
        { binding: 0, ...(color as (typeof views)[number]) },
        { binding: 1, sampler: screenPipelines.sampler },
        { binding: 2, buffer: uniforms },
        ...others.map((view, index) => ({ binding: 3 + index, ...view })),
      ],
    });
  }

  execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#pipeline.pipeline);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#options.rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }

  get #pipeline() {
    return this.#options.pipelines.get(this.#options.history.count === 3 ? 2 : 1);
  }

  #describe(): void {
    const { width, height } = this.#options.state.targets;
    const [first] = this.#descriptors;
    if (first?.width === width && first.height === height) return;
    this.#descriptors = ['steady colour', 'steady traces', 'steady unmapped colour'].map((name) => ({
      name: `${name}${this.#options.state.suffix}`,
      width,
      height,
      format: HISTORY_FORMAT,
    }));
  }
}
