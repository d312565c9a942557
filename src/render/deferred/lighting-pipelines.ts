import encodingCode from '../../../shaders/surface-encoding.wgsl?raw';
import lightingCode from '../../../shaders/surface-lighting.wgsl?raw';
import surfacesCode from '../../../shaders/surfaces.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { lightConstants } from '../keys/pass-format.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';

/**
 * Sample types of the surface textures and depth, at the first bindings of group 1. The next binding is a
 * `GpuSurfaceView`.
 */
const TEXTURES = ['unfilterable-float', 'uint', 'uint', 'depth'] as const;

/** Uniforms of a view: the transform from clip space to metres from the camera. */
export const GpuSurfaceView = /* @__PURE__ */ defineGpuStruct('SurfaceView', { offsetFromClip: 'mat4x4f' });

/** Part of the mesh shader that writes surfaces. */
export const SURFACES_CODE = `${encodingCode}${surfacesCode}`;

/**
 * The pipelines that light the surfaces in `SurfaceTargets`, one per pass format. Each contains the code of all lights
 * that the pass format has.
 */
export class LightingPipelines {
  readonly #byFormat = new Map<number, GraphicsPipelineHandle>();
  #layout: BindGroupLayoutHandle | undefined;

  readonly #rhi: ImmediateContext;
  readonly #meshes: PipelineCache;

  constructor(rhi: ImmediateContext, meshes: PipelineCache) {
    this.#rhi = rhi;
    this.#meshes = meshes;
  }

  /** Layout of bind group 1: the surface textures, depth, and the view. */
  get layout(): BindGroupLayoutHandle {
    const visibility = ShaderStage.fragment;
    this.#layout ??= this.#rhi.createBindGroupLayout({
      label: 'written surfaces',
      entries: [
        ...TEXTURES.map((sampleType, binding) => ({ binding, visibility, texture: { sampleType } })),
        { binding: TEXTURES.length, visibility, buffer: { type: 'uniform' } },
      ],
    });
    return this.#layout;
  }

  /** Returns the pipeline of a pass format. Call it outside passes. @param format bits of `PassFormat` */
  get(format: number): GraphicsPipelineHandle {
    let pipeline = this.#byFormat.get(format);
    if (pipeline === undefined) {
      pipeline = this.#create(format);
      this.#byFormat.set(format, pipeline);
    }
    return pipeline;
  }

  /** Returns the WGSL that reads and lights surfaces. @param format bits of `PassFormat` */
  code(format: number): string {
    return `${this.#meshes.litShaderCode(format)}${GpuSurfaceView.wgsl}${lightingCode}`;
  }

  dispose(): void {
    for (const pipeline of this.#byFormat.values()) this.#rhi.destroy(pipeline);
    this.#byFormat.clear();
    this.#rhi.destroy(this.#layout);
    this.#layout = undefined;
  }

  #create(format: number): GraphicsPipelineHandle {
    const rhi = this.#rhi;
    const module = rhi.createShaderModule({ label: 'lighting', code: this.code(format) });
    const pipeline = rhi.createGraphicsPipeline({
      label: 'lighting',
      bindGroupLayouts: [this.#meshes.litLayout(format), this.layout],
      vertex: { module, entryPoint: 'coverPicture' },
      fragment: {
        module,
        entryPoint: 'lightSurface',
        constants: lightConstants(format),
        targets: [
          {
            format: SCENE_COLOR_FORMAT,
            // Reflected light is added to the emitted light. Coverage has been written already.
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
