import coverCode from '../../../shaders/cover-target-uv.wgsl?raw';
import code from '../../../shaders/mipmap.wgsl?raw';
import type {
  BindGroupHandle,
  BindGroupLayoutHandle,
  GraphicsPipelineHandle,
  RenderPassDescriptor,
  ResourceHandle,
  SamplerHandle,
  ShaderModuleHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import { ShaderStage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

interface MipmapLevel {
  readonly bindGroup: BindGroupHandle;
  readonly pass: RenderPassDescriptor;
}

/** The passes that draw each level of a texture from the level above it. */
export interface MipmapChain {
  readonly pipeline: GraphicsPipelineHandle;
  readonly levels: readonly MipmapLevel[];
}

/**
 * Draws each mip level from the level above it, through a linear sampler. The hardware converts sRGB on reading and
 * writing, so the average is taken over linear light, not over encoded values.
 *
 *   level 0 ──draw──► level 1 ──draw──► level 2 …      one pass each
 */
export class MipmapGenerator {
  #module: ShaderModuleHandle | undefined;
  #layout: BindGroupLayoutHandle | undefined;
  #sampler: SamplerHandle | undefined;
  readonly #pipelines = new Map<GPUTextureFormat, GraphicsPipelineHandle>();

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Records the passes that fill levels 1 and up of a two-dimensional texture. */
  record(texture: TextureHandle, format: GPUTextureFormat, mipLevelCount: number, label: string): void {
    const chain = this.createChain(texture, format, mipLevelCount, label);
    this.draw(chain);
    this.destroyChain(chain);
  }

  /** Returns the state that `draw` needs. Keep it for a texture whose levels are drawn repeatedly. */
  createChain(
    texture: TextureHandle,
    format: GPUTextureFormat,
    mipLevelCount: number,
    label: string,
  ): MipmapChain {
    const rhi = this.#rhi;
    this.#layout ??= rhi.createBindGroupLayout({
      label: 'mipmap',
      entries: [
        { binding: 0, visibility: ShaderStage.fragment, texture: {} },
        { binding: 1, visibility: ShaderStage.fragment, sampler: {} },
      ],
    });
    this.#sampler ??= rhi.createSampler({ label: 'mipmap', minFilter: 'linear', magFilter: 'linear' });
    const layout = this.#layout;
    const sampler = this.#sampler;
    const levels: MipmapLevel[] = [];
    for (let level = 1; level < mipLevelCount; level++) {
      const name = `mipmap ${level} of ${label}`;
      const bindGroup = rhi.createBindGroup({
        label: name,
        layout,
        entries: [
          { binding: 0, view: { texture, baseMipLevel: level - 1, mipLevelCount: 1 } },
          { binding: 1, sampler },
        ],
      });
      const view = { texture, baseMipLevel: level, mipLevelCount: 1 };
      const pass: RenderPassDescriptor = {
        label: name,
        colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
      };
      levels.push({ bindGroup, pass });
    }
    return { pipeline: this.#pipeline(format, layout), levels };
  }

  /** Fills all levels except the first. Call it outside passes. */
  draw({ pipeline, levels }: MipmapChain): void {
    const rhi = this.#rhi;
    for (const { bindGroup, pass } of levels) {
      rhi.beginRenderPass(pass);
      rhi.setGraphicsPipeline(pipeline);
      rhi.setBindGroup(0, bindGroup);
      rhi.draw(3);
      rhi.endRenderPass();
    }
  }

  destroyChain({ levels }: MipmapChain): void {
    for (const { bindGroup } of levels) this.#rhi.destroy(bindGroup);
  }

  dispose(): void {
    const resources: (ResourceHandle | undefined)[] = [
      ...this.#pipelines.values(),
      this.#module,
      this.#layout,
      this.#sampler,
    ];
    for (const resource of resources) this.#rhi.destroy(resource);
    this.#pipelines.clear();
    this.#module = this.#layout = this.#sampler = undefined;
  }

  #pipeline(format: GPUTextureFormat, layout: BindGroupLayoutHandle): GraphicsPipelineHandle {
    let pipeline = this.#pipelines.get(format);
    if (pipeline === undefined) {
      this.#module ??= this.#rhi.createShaderModule({ label: 'mipmap', code: `${coverCode}${code}` });
      pipeline = this.#rhi.createGraphicsPipeline({
        label: `mipmap ${format}`,
        bindGroupLayouts: [layout],
        vertex: { module: this.#module, entryPoint: 'coverTarget' },
        fragment: { module: this.#module, entryPoint: 'averageTexels', targets: [{ format }] },
      });
      this.#pipelines.set(format, pipeline);
    }
    return pipeline;
  }
}
