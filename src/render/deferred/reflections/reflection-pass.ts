import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../../graph/graph-pass.js';
import type { BindGroupHandle, BufferHandle, TextureHandle } from '../../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../../rhi/record/immediate-context.js';
import type { ScreenTexture } from '../../pipelines/screen-pass.js';
import type { DeferredView } from '../deferred-view.js';
import { ReflectionBinding, type ReflectionPipelines } from './reflection-pipelines.js';

/** Follows the mirrored ray of each pixel, and adds the light that it meets to scene colour. */
export class ReflectionPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #rhi: ImmediateContext;
  readonly #view: DeferredView;
  readonly #pipelines: ReflectionPipelines;
  readonly #uniforms: BufferHandle;
  readonly #picture: ScreenTexture;
  readonly #depths: ScreenTexture;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names. */
  #boundPicture: TextureHandle | undefined;
  #boundDepths: TextureHandle | undefined;

  /**
   * @param uniforms the options
   * @param picture the lit surfaces, with mip levels
   * @param depths the nearest depths of squares of pixels, by level
   */
  constructor(
    rhi: ImmediateContext,
    view: DeferredView,
    pipelines: ReflectionPipelines,
    uniforms: BufferHandle,
    picture: ScreenTexture,
    depths: ScreenTexture,
  ) {
    this.#rhi = rhi;
    this.#view = view;
    this.#pipelines = pipelines;
    this.#uniforms = uniforms;
    this.#picture = picture;
    this.#depths = depths;
    this.name = `reflections${view.state.suffix}`;
  }

  setup(builder: PassBuilder): void {
    const { state, surfaces } = this.#view;
    const { targets } = state;
    state.declareLitReads(builder);
    for (const texture of surfaces.textures) builder.read(texture, 'sampled');
    builder.read(targets.depth, 'sampled');
    builder.read(this.#picture.version as GraphTexture, 'sampled');
    builder.read(this.#depths.version as GraphTexture, 'sampled');
    targets.color = builder.color(targets.color);
  }

  prepare(context: PassContext): void {
    this.#view.state.bindLit(context);
    this.#view.bind(context);
    const picture = context.texture(this.#picture.version as GraphTexture);
    const depths = context.texture(this.#depths.version as GraphTexture);
    const isSame = picture === this.#boundPicture && depths === this.#boundDepths;
    if (this.#bindGroup !== undefined && isSame) return;
    this.#boundPicture = picture;
    this.#boundDepths = depths;
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = this.#rhi.createBindGroup({
      label: this.name,
      layout: this.#pipelines.layout,
      entries: [
        { binding: ReflectionBinding.picture, view: { texture: picture } },
        { binding: ReflectionBinding.sampler, sampler: this.#pipelines.screen.sampler },
        { binding: ReflectionBinding.nearestDepths, view: { texture: depths } },
        { binding: ReflectionBinding.uniforms, buffer: this.#uniforms },
      ],
    });
  }

  execute(context: PassContext): void {
    const { rhi } = context;
    const { state, bindGroup } = this.#view;
    rhi.setGraphicsPipeline(this.#pipelines.get(state.targets.format));
    rhi.setBindGroup(0, state.litBindGroup(context));
    rhi.setBindGroup(1, bindGroup);
    rhi.setBindGroup(2, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }
}
