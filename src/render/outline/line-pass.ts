import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type {
  BindGroupHandle,
  BufferHandle,
  GraphicsPipelineHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import { ScreenBinding, type ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneTargets } from '../views/scene-targets.js';
import { OUTLINE_SHADER } from './outline-shader.js';

const OVER = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
const BLEND = { color: OVER, alpha: OVER };
const NO_CONSTANTS = {};

/**
 * Blends the line over the picture. Tone mapping must not change the colour of the line. If the view has a target for
 * unmapped colours, the line is drawn into that target, and scene colour is hidden behind the line. Otherwise the line
 * is drawn into scene colour.
 */
export class LinePass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #targets: SceneTargets;
  readonly #uniforms: BufferHandle;
  readonly #distances: ScreenTexture;
  readonly #mask: ScreenTexture;
  #pipeline!: GraphicsPipelineHandle;
  /** Format of the targets of the pipeline. */
  #format: GPUTextureFormat | undefined;
  /** Whether the pipeline has a second target, for unmapped colours. */
  #hasUnmapped = false;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures in the bind group. */
  #boundDistances: TextureHandle | undefined;
  #boundMask: TextureHandle | undefined;

  constructor(
    rhi: ImmediateContext,
    pipelines: ScreenPipelines,
    targets: SceneTargets,
    uniforms: BufferHandle,
    distances: ScreenTexture,
    mask: ScreenTexture,
    suffix: string,
  ) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#targets = targets;
    this.#uniforms = uniforms;
    this.#distances = distances;
    this.#mask = mask;
    this.name = `outline${suffix}`;
  }

  /**
   * Per frame, outside passes: creates the pipeline for the view's targets, unless it exists.
   * @param hasUnmapped whether the view has a target for unmapped colours
   */
  createPipeline(hasUnmapped: boolean): void {
    const { colorFormat: format } = this.#targets;
    if (format === this.#format && hasUnmapped === this.#hasUnmapped) return;
    this.#format = format;
    this.#hasUnmapped = hasUnmapped;
    const target = { format, blend: BLEND };
    this.#pipeline = this.#pipelines.pipeline(
      OUTLINE_SHADER,
      hasUnmapped ? 'drawUnmappedLine' : 'drawLine',
      hasUnmapped ? [target, target] : [target],
      this.#pipelines.layout(true, true),
      NO_CONSTANTS,
    );
  }

  setup(builder: PassBuilder): void {
    const targets = this.#targets;
    builder.read(this.#distances.version as GraphTexture, 'sampled');
    builder.read(this.#mask.version as GraphTexture, 'sampled');
    targets.color = builder.color(targets.color);
    if (targets.unmappedColor !== undefined) targets.unmappedColor = builder.color(targets.unmappedColor);
  }

  prepare(context: PassContext): void {
    const distances = context.texture(this.#distances.version as GraphTexture);
    const mask = context.texture(this.#mask.version as GraphTexture);
    if (distances === this.#boundDistances && mask === this.#boundMask) return;
    this.#boundDistances = distances;
    this.#boundMask = mask;
    const rhi = this.#rhi;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: 'outline',
      layout: this.#pipelines.layout(true, true),
      entries: [
        { binding: ScreenBinding.source, view: { texture: distances } },
        { binding: ScreenBinding.sampler, sampler: this.#pipelines.sampler },
        { binding: ScreenBinding.uniforms, buffer: this.#uniforms },
        { binding: ScreenBinding.second, view: { texture: mask } },
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
}
