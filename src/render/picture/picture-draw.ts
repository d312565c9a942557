import type { GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type {
  BindGroupHandle,
  GraphicsPipelineHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import { ScreenBinding, type ScreenPipelines, type ScreenShader } from '../pipelines/screen-pipelines.js';
import { OVER } from './tone-map-pass.js';

interface PictureDrawOptions {
  readonly shader: ScreenShader;
  readonly entryPoint: string;
  readonly source: ScreenTexture;
  readonly second?: ScreenTexture | undefined;
}

/**
 * Draws a view's picture in the last pass over the view's target. Earlier passes have drawn the picture in a texture.
 */
export class PictureDraw {
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #options: PictureDrawOptions;
  #pipeline: GraphicsPipelineHandle | undefined;
  /** Arguments of `bind` for which the pipeline was created: format of the target, constants, and blending. */
  #format: GPUTextureFormat | undefined;
  #constants: Readonly<Record<string, number>> | undefined;
  #isOverlay = false;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures in the bind group. */
  #texture: TextureHandle | undefined;
  #second: TextureHandle | undefined;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, options: PictureDrawOptions) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#options = options;
  }

  /** Declares that the last pass reads the textures. Called in the set-up of the last pass. */
  declareRead(builder: PassBuilder): void {
    const { source, second } = this.#options;
    builder.read(source.version as GraphTexture, 'sampled');
    if (second) builder.read(second.version as GraphTexture, 'sampled');
  }

  /**
   * Updates the bind group and the pipeline. Called in `prepare` of the last pass.
   * @param format format of the target
   * @param constants values of `override` constants, compared by identity
   * @param isOverlay whether the picture is blended over the pictures beneath it
   */
  bind(
    context: PassContext,
    format: GPUTextureFormat,
    constants: Readonly<Record<string, number>>,
    isOverlay: boolean,
  ): void {
    const { shader, entryPoint, source, second: other } = this.#options;
    const layout = this.#pipelines.layout(false, other !== undefined);
    if (format !== this.#format || constants !== this.#constants || isOverlay !== this.#isOverlay) {
      this.#format = format;
      this.#constants = constants;
      this.#isOverlay = isOverlay;
      const target = isOverlay ? { format, blend: OVER } : { format };
      this.#pipeline = this.#pipelines.pipeline(shader, entryPoint, [target], layout, constants);
    }
    const texture = context.texture(source.version as GraphTexture);
    const second = other && context.texture(other.version as GraphTexture);
    if (this.#bindGroup !== undefined && texture === this.#texture && second === this.#second) return;
    this.#texture = texture;
    this.#second = second;
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = this.#rhi.createBindGroup({
      label: shader.label,
      layout,
      entries: [
        { binding: ScreenBinding.source, view: { texture } },
        { binding: ScreenBinding.sampler, sampler: this.#pipelines.sampler },
        ...(second === undefined ? [] : [{ binding: ScreenBinding.second, view: { texture: second } }]),
      ],
    });
  }

  /** Draws the picture, after `bind`. */
  record(): void {
    const rhi = this.#rhi;
    rhi.setGraphicsPipeline(this.#pipeline as GraphicsPipelineHandle);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }
}
