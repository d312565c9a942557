import hashCode from '../../../shaders/chunks/hash.wgsl?raw';
import detailsCode from '../../../shaders/sky-details.wgsl?raw';
import type { PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { PassFormat } from '../keys/pass-format.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { type PipelineCache, SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';

const GpuSkyDetails = /* @__PURE__ */ defineGpuStruct('SkyDetails', {
  /** Direction to the sun in the world, of unit length. */
  toSun: 'vec3f',
  /** Brightness of the stars; 0 draws no stars. */
  stars: 'f32',
  /** Light of the sun on the ground, in lux of the scene. */
  sunlight: 'vec3f',
  /** Rows of the 3×3 matrix that turns a direction in the world into a direction among the stars. */
  starRows: ['vec4f', 3],
});
const { at } = GpuSkyDetails;

/** Blending that adds light to the colour in the target, and keeps the coverage in the target. */
const ADDED: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'zero', dstFactor: 'one' },
};

/**
 * Draws the sun's disc and the stars of an atmosphere over the background. The texels of the environment are larger
 * than the disc and the stars, so the environment cannot show them.
 */
export class SkyDetails {
  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #meshes: PipelineCache;
  readonly #settings = new Float32Array(GpuSkyDetails.words);
  #isNew = true;
  #buffer: BufferHandle | undefined;
  #layout: BindGroupLayoutHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** Pipelines by pass format. */
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();

  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, meshes: PipelineCache) {
    this.#rhi = rhi;
    this.#frameLayout = frameLayout;
    this.#meshes = meshes;
  }

  /**
   * Takes settings, which the next `prepare` uploads.
   * @param toSun direction to the sun, of unit length
   * @param values values of a `setSky` from `sunRed` to `starRows`, without the length of `starRows`
   */
  set(toSun: readonly number[], values: readonly number[]): void {
    const settings = this.#settings;
    settings.set(toSun, at.toSun);
    settings[at.stars] = values[3] as number;
    settings.set(values.slice(0, 3), at.sunlight);
    for (let row = 0; row < 3; row++) {
      settings.set(values.slice(4 + row * 3, 7 + row * 3), at.starRows + row * 4);
    }
    this.#isNew = true;
  }

  /**
   * Uploads changed settings, and creates the pipeline of a pass format unless it exists. Called outside passes.
   * @param format bits of `PassFormat`
   */
  prepare(format: number): void {
    const rhi = this.#rhi;
    this.#buffer ??= rhi.createBuffer({
      label: 'sky details',
      byteLength: GpuSkyDetails.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    if (this.#isNew) rhi.writeBuffer(this.#buffer, 0, this.#settings);
    this.#isNew = false;
    this.#layout ??= rhi.createBindGroupLayout({
      label: 'sky details',
      entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } }],
    });
    this.#bindGroup ??= rhi.createBindGroup({
      label: 'sky details',
      layout: this.#layout,
      entries: [{ binding: 0, buffer: this.#buffer }],
    });
    if (!this.#pipelines.has(format)) this.#pipelines.set(format, this.#create(format, this.#layout));
  }

  /** Draws the disc and the stars in a pass of the format. Called after `prepare`, while bind group 0 is set. */
  draw({ rhi }: PassContext, format: number): void {
    rhi.setGraphicsPipeline(this.#pipelines.get(format) as GraphicsPipelineHandle);
    rhi.setBindGroup(1, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    for (const pipeline of this.#pipelines.values()) this.#rhi.destroy(pipeline);
    this.#pipelines.clear();
    for (const resource of [this.#bindGroup, this.#layout, this.#buffer]) this.#rhi.destroy(resource);
    this.#bindGroup = this.#layout = this.#buffer = undefined;
  }

  #create(format: number, layout: BindGroupLayoutHandle): GraphicsPipelineHandle {
    const rhi = this.#rhi;
    const code = `${this.#meshes.litShaderCode(format)}${hashCode}${GpuSkyDetails.wgsl}${detailsCode}`;
    const module = rhi.createShaderModule({ label: 'sky details', code });
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const target = { format: this.#meshes.colorFormat(format), blend: ADDED };
    const pipeline = rhi.createGraphicsPipeline({
      label: 'sky details',
      bindGroupLayouts: [this.#frameLayout.handle, layout],
      vertex: { module, entryPoint: 'placeSky' },
      fragment: {
        module,
        entryPoint: `shadeSkyDetails${hasUnmappedTarget ? 'InLayers' : ''}`,
        targets: hasUnmappedTarget ? [target, target] : [target],
      },
      depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'always', depthWriteEnabled: false },
      multisample: { count: format & PassFormat.multisampled ? 4 : 1 },
    });
    rhi.destroy(module);
    return pipeline;
  }
}
