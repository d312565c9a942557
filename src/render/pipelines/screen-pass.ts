import type {
  ColorOptions,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
  Subresource,
} from '../../graph/graph-pass.js';
import type {
  BindGroupHandle,
  BufferHandle,
  GraphicsPipelineHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import {
  type SampleTypes,
  ScreenBinding,
  type ScreenPipelines,
  type ScreenShader,
} from './screen-pipelines.js';

/** A texture that passes of a frame write in turn. */
export interface ScreenTexture {
  /** Newest version in this frame; undefined: the next pass that writes the texture creates it. */
  version: GraphTexture | undefined;
  /** Description of the texture. Required if a `ScreenPass` writes it. */
  descriptor?: GraphTextureDescriptor | undefined;
}

/** One mip level of a texture. Default: level 0. */
interface ScreenLevel {
  readonly of: ScreenTexture;
  readonly level?: number;
}

interface ScreenPassOptions {
  readonly shader: ScreenShader;
  /** Entry point of the fragment stage. */
  readonly entryPoint: string;
  readonly name: string;
  /** Sample types of the source and of the second source. Default: float. */
  readonly sampleTypes?: SampleTypes;
  readonly uniforms?: BufferHandle;
  readonly source: ScreenLevel;
  readonly second?: ScreenLevel;
  readonly target: ScreenLevel;
}

const NOTHING = [0, 0, 0, 0] as const;
const NO_CONSTANTS = {};

/**
 * A pass that draws one triangle over a mip level of its target. The shader reads one or two other levels and textures.
 *
 *   source level ─┐
 *   second level ─┼─► fragment shader ─► target level        versions move on when the pass is added to the graph
 *   uniforms ─────┘
 */
export class ScreenPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** Values of the shader's `override` constants. */
  constants: Readonly<Record<string, number>> = NO_CONSTANTS;
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #options: ScreenPassOptions;
  readonly #sourceLevel: Subresource;
  readonly #secondLevel: Subresource;
  readonly #targetLevel: ColorOptions;
  /** Versions that the pass reads in this frame. They are stored in `setup`, because later passes make newer ones. */
  #source!: GraphTexture;
  #second: GraphTexture | undefined;
  #pipeline!: GraphicsPipelineHandle;
  /** Format and constants of the pipeline. */
  #format: GPUTextureFormat | undefined;
  #usedConstants: Readonly<Record<string, number>> | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names. */
  #boundSource: TextureHandle | undefined;
  #boundSecond: TextureHandle | undefined;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, options: ScreenPassOptions) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#options = options;
    this.name = options.name;
    this.#sourceLevel = { mipLevel: options.source.level ?? 0 };
    this.#secondLevel = { mipLevel: options.second?.level ?? 0 };
    this.#targetLevel = { mipLevel: options.target.level ?? 0, clear: NOTHING };
  }

  setup(builder: PassBuilder): void {
    const { source, second, target } = this.#options;
    this.#source = source.of.version as GraphTexture;
    this.#second = second?.of.version;
    builder.read(this.#source, 'sampled', this.#sourceLevel);
    if (this.#second !== undefined) builder.read(this.#second, 'sampled', this.#secondLevel);
    const { of } = target;
    of.version ??= builder.createTexture(of.descriptor as GraphTextureDescriptor);
    of.version = builder.color(of.version, this.#targetLevel);
  }

  prepare(context: PassContext): void {
    const { format } = this.#options.target.of.descriptor as GraphTextureDescriptor;
    if (format !== this.#format || this.constants !== this.#usedConstants) this.createPipeline(format);
    const source = context.texture(this.#source);
    const second = this.#second === undefined ? undefined : context.texture(this.#second);
    const isSame = source === this.#boundSource && second === this.#boundSecond;
    if (this.#bindGroup !== undefined && isSame) return;
    this.#boundSource = source;
    this.#boundSecond = second;
    const rhi = this.#rhi;
    rhi.destroy(this.#bindGroup);
    const { uniforms, sampleTypes } = this.#options;
    this.#bindGroup = rhi.createBindGroup({
      label: this.name,
      layout: this.#pipelines.layout(uniforms !== undefined, second !== undefined, sampleTypes),
      entries: [
        { binding: ScreenBinding.source, view: levelOf(source, this.#sourceLevel) },
        { binding: ScreenBinding.sampler, sampler: this.#pipelines.sampler },
        ...(uniforms === undefined ? [] : [{ binding: ScreenBinding.uniforms, buffer: uniforms }]),
        ...(second === undefined
          ? []
          : [{ binding: ScreenBinding.second, view: levelOf(second, this.#secondLevel) }]),
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

  /** Creates the pipeline in advance. @param format format of the target */
  createPipeline(format: GPUTextureFormat): void {
    const { shader, entryPoint, uniforms, second, sampleTypes } = this.#options;
    this.#format = format;
    this.#usedConstants = this.constants;
    const layout = this.#pipelines.layout(uniforms !== undefined, second !== undefined, sampleTypes);
    this.#pipeline = this.#pipelines.pipeline(shader, entryPoint, [{ format }], layout, this.constants);
  }
}

const levelOf = (texture: TextureHandle, { mipLevel = 0 }: Subresource) => ({
  texture,
  baseMipLevel: mipLevel,
  mipLevelCount: 1,
});
