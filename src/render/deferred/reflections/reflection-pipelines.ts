import code from '../../../../shaders/reflections.wgsl?raw';
import plainShareCode from '../../../../shaders/reflections-plain.wgsl?raw';
import tabledShareCode from '../../../../shaders/reflections-tabled.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  ShaderStage,
} from '../../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../../buffers/gpu-struct.js';
import { SCENE_COLOR_FORMAT } from '../../keys/display-colors.js';
import { PassFormat } from '../../keys/pass-format.js';
import type { PipelineCache } from '../../pipelines/pipeline-cache.js';
import type { ScreenPipelines } from '../../pipelines/screen-pipelines.js';
import type { LightingPipelines } from '../lighting-pipelines.js';

export const GpuReflections = /* @__PURE__ */ defineGpuStruct('Reflections', {
  intensity: 'f32',
  distance: 'f32',
  thickness: 'f32',
  maximumRoughness: 'f32',
  /** Origin of the drawn part in the whole picture, and size of the whole picture, in pixels. */
  origin: 'vec2f',
  size: 'vec2f',
});

/** Bindings of group 2. */
export enum ReflectionBinding {
  picture = 0,
  sampler = 1,
  nearestDepths = 2,
  uniforms = 3,
}

/** The pipelines that draw reflections, one per pass format. They light surfaces with the code of `LightingPipelines`. */
export class ReflectionPipelines {
  readonly #rhi: ImmediateContext;
  readonly #meshes: PipelineCache;
  readonly #lighting: LightingPipelines;
  readonly #byFormat = new Map<number, GraphicsPipelineHandle>();
  #layout: BindGroupLayoutHandle | undefined;

  /** Pipelines of the passes before the reflections. */
  readonly screen: ScreenPipelines;

  constructor(
    rhi: ImmediateContext,
    meshes: PipelineCache,
    lighting: LightingPipelines,
    screen: ScreenPipelines,
  ) {
    this.#rhi = rhi;
    this.#meshes = meshes;
    this.#lighting = lighting;
    this.screen = screen;
  }

  /** Layout of bind group 2. */
  get layout(): BindGroupLayoutHandle {
    const visibility = ShaderStage.fragment;
    this.#layout ??= this.#rhi.createBindGroupLayout({
      label: 'reflections',
      entries: [
        { binding: ReflectionBinding.picture, visibility, texture: {} },
        { binding: ReflectionBinding.sampler, visibility, sampler: {} },
        {
          binding: ReflectionBinding.nearestDepths,
          visibility,
          texture: { sampleType: 'unfilterable-float' },
        },
        { binding: ReflectionBinding.uniforms, visibility, buffer: { type: 'uniform' } },
      ],
    });
    return this.#layout;
  }

  /** Returns the pipeline of a pass format. Call it outside passes. @param format bits of `PassFormat` */
  get(format: number): GraphicsPipelineHandle {
    const pipeline = this.#byFormat.get(format) ?? this.#create(format);
    this.#byFormat.set(format, pipeline);
    return pipeline;
  }

  dispose(): void {
    for (const pipeline of this.#byFormat.values()) this.#rhi.destroy(pipeline);
    this.#byFormat.clear();
    this.#rhi.destroy(this.#layout);
    this.#layout = undefined;
  }

  #create(format: number): GraphicsPipelineHandle {
    const rhi = this.#rhi;
    const hasEnvironment = (format & PassFormat.environment) !== 0 && !(format & PassFormat.environmentOff);
    const module = rhi.createShaderModule({
      label: 'reflections',
      code: [
        this.#lighting.code(format),
        GpuReflections.wgsl,
        hasEnvironment ? tabledShareCode : plainShareCode,
        code,
      ].join(''),
    });
    const pipeline = rhi.createGraphicsPipeline({
      label: 'reflections',
      bindGroupLayouts: [this.#meshes.litLayout(format), this.#lighting.layout, this.layout],
      vertex: { module, entryPoint: 'coverPicture' },
      fragment: {
        module,
        entryPoint: 'reflectPicture',
        targets: [
          {
            format: SCENE_COLOR_FORMAT,
            // Adds mirrored light without the environment's light, which may be negative.
            blend: {
              color: { srcFactor: 'one', dstFactor: 'one' },
              alpha: { srcFactor: 'zero', dstFactor: 'one' },
            },
          },
        ],
      },
    });
    rhi.destroy(module);
    return pipeline;
  }
}
