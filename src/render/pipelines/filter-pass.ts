import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type {
  BindGroupHandle,
  BufferHandle,
  GraphicsPipelineHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenTexture } from './screen-pass.js';
import {
  FilterBinding,
  type ScreenPipelines,
  type ScreenShader,
  type SourceType,
} from './screen-pipelines.js';

interface FilterPassOptions {
  readonly shader: ScreenShader;
  /** Entry point of the fragment stage. */
  readonly entryPoint: string;
  readonly name: string;
  readonly uniforms: BufferHandle;
  /** Textures at the bindings from 0 on; at most 8, because `FilterBinding.sampler` follows. */
  readonly sources: readonly ScreenTexture[];
  /** Sample types of the sources, in the same order. */
  readonly types: readonly SourceType[];
  /** Textures that the pass creates, in the order of the shader's locations. */
  readonly targets: readonly ScreenTexture[];
}

const NOTHING = { clear: [0, 0, 0, 0] } as const;
const NO_CONSTANTS = {};

/**
 * A pass that draws one triangle over several targets of one size. Its shader reads several textures. `ScreenPass`
 * draws over one target, and its shader reads one or two textures.
 *
 *   sources ──┬─► fragment shader ─► targets, which the pass creates
 *   uniforms ─┘
 */
export class FilterPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** Values of the shader's `override` constants. */
  constants: Readonly<Record<string, number>> = NO_CONSTANTS;
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #options: FilterPassOptions;
  /** Versions that the pass reads in this frame. */
  readonly #versions: GraphTexture[] = [];
  #pipeline!: GraphicsPipelineHandle;
  /** Format of the first target of the pipeline. */
  #format: GPUTextureFormat | undefined;
  /** Constants of the pipeline. */
  #usedConstants: Readonly<Record<string, number>> | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures in the bind group. */
  readonly #bound: TextureHandle[] = [];

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, options: FilterPassOptions) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#options = options;
    this.name = options.name;
  }

  setup(builder: PassBuilder): void {
    const { sources, targets } = this.#options;
    for (let index = 0; index < sources.length; index++) {
      const version = sources[index]?.version as GraphTexture;
      this.#versions[index] = version;
      builder.read(version, 'sampled');
    }
    for (let index = 0; index < targets.length; index++) {
      const target = targets[index] as ScreenTexture;
      const texture = builder.createTexture(target.descriptor as GraphTextureDescriptor);
      target.version = builder.color(texture, NOTHING);
    }
  }

  prepare(context: PassContext): void {
    const format = this.#options.targets[0]?.descriptor?.format;
    if (format !== this.#format || this.constants !== this.#usedConstants) this.#createPipeline();
    let isSame = this.#bindGroup !== undefined;
    for (let index = 0; index < this.#versions.length; index++) {
      const texture = context.texture(this.#versions[index] as GraphTexture);
      isSame &&= texture === this.#bound[index];
      this.#bound[index] = texture;
    }
    if (isSame) return;
    const rhi = this.#rhi;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: this.name,
      layout: this.#pipelines.filterLayout(this.#options.types),
      entries: [
        ...this.#bound.map((texture, binding) => ({ binding, view: { texture } })),
        { binding: FilterBinding.sampler, sampler: this.#pipelines.sampler },
        { binding: FilterBinding.uniforms, buffer: this.#options.uniforms },
      ],
    });
  }

  execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#pipeline);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }

  #createPipeline(): void {
    const { shader, entryPoint, targets, types } = this.#options;
    this.#format = targets[0]?.descriptor?.format;
    this.#usedConstants = this.constants;
    this.#pipeline = this.#pipelines.pipeline(
      shader,
      entryPoint,
      targets.map(({ descriptor }) => ({ format: (descriptor as GraphTextureDescriptor).format })),
      this.#pipelines.filterLayout(types),
      this.constants,
    );
  }
}
