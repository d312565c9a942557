import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/outline-depth.wgsl?raw';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import { MASK_SAMPLES } from './outline-pipelines.js';

const CLEARED = { clear: 0 };

/**
 * Copies the depth of a scene with one sample per pixel into a texture with the samples of the mask. All samples of a
 * pixel get the same depth.
 */
export class SpreadDepth implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** Depth of the scene, set by the caller in each frame before it adds the pass. */
  source!: GraphTexture;
  /** The copy in this frame, set in `setup`. */
  result!: GraphTexture;
  readonly #rhi: ImmediateContext;
  readonly #descriptor: { readonly current: GraphTextureDescriptor | undefined };
  readonly #layout: BindGroupLayoutHandle;
  readonly #pipeline: GraphicsPipelineHandle;
  #bindGroup: BindGroupHandle | undefined;
  /** Texture in the bind group. */
  #bound: TextureHandle | undefined;

  /** Creates the pipeline, so it is called outside passes. @param descriptor descriptor of the copy */
  constructor(
    rhi: ImmediateContext,
    suffix: string,
    descriptor: { readonly current: GraphTextureDescriptor | undefined },
  ) {
    this.#rhi = rhi;
    this.#descriptor = descriptor;
    this.name = `outline depth${suffix}`;
    const label = 'outline depth';
    this.#layout = rhi.createBindGroupLayout({
      label,
      entries: [{ binding: 0, visibility: ShaderStage.fragment, texture: { sampleType: 'depth' } }],
    });
    const module = rhi.createShaderModule({ label, code: `${coverCode}${code}` });
    this.#pipeline = rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [this.#layout],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: { module, entryPoint: 'spreadDepth', targets: [] },
      depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'always', depthWriteEnabled: true },
      multisample: { count: MASK_SAMPLES },
    });
    rhi.destroy(module);
  }

  setup(builder: PassBuilder): void {
    builder.read(this.source, 'sampled');
    const texture = builder.createTexture(this.#descriptor.current as GraphTextureDescriptor);
    this.result = builder.depth(texture, CLEARED);
  }

  prepare(context: PassContext): void {
    const texture = context.texture(this.source);
    if (texture === this.#bound) return;
    this.#bound = texture;
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = this.#rhi.createBindGroup({
      label: 'outline depth',
      layout: this.#layout,
      entries: [{ binding: 0, view: { texture } }],
    });
  }

  execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#pipeline);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#rhi.destroy(this.#pipeline);
    this.#rhi.destroy(this.#layout);
  }
}
