import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import cubeCode from '../../../shaders/environment-cube.wgsl?raw';
import filterCode from '../../../shaders/environment-filter.wgsl?raw';
import sunShareCode from '../../../shaders/environment-sun-share.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type ComputePipelineHandle,
  type GraphicsPipelineHandle,
  type ResourceHandle,
  type SamplerHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuIrradiance } from '../buffers/gpu-layouts.js';
import { CUBE_FORMAT } from './cube-format.js';
import type { IrradianceShader } from './irradiance-pass.js';

/**
 * Shader of a pass that draws a face: an entry point of the filter, which reads a cube, or code that draws a face of a
 * source. `vertexEntryPoint`: default `coverFace`.
 */
export type FaceShader =
  | { readonly entryPoint: 'halve' | 'halveWithoutSun' | 'blur' }
  | { readonly code: string; readonly vertexEntryPoint?: string };

/** Inputs of a shader of faces, besides its uniforms. */
interface FaceInputs {
  readonly isCube: boolean;
  readonly sun?: unknown;
}

interface FacePipeline {
  readonly pipeline: GraphicsPipelineHandle;
  readonly layout: BindGroupLayoutHandle;
}

interface IrradiancePipelines {
  /** One per entry point. */
  readonly pipelines: readonly ComputePipelineHandle[];
  readonly layout: BindGroupLayoutHandle;
}

/** Blending that adds the drawn colour, times the pass's weight, to the target. */
const WEIGHTED_SUM = { srcFactor: 'constant', dstFactor: 'one', operation: 'add' } as const;

const FILTER_CODE = `${GpuIrradiance.wgsl}${sunShareCode}${filterCode}`;

/**
 * Pipelines of the passes that draw an environment. They live as long as the environment, because the sun of a sky may
 * move in every frame.
 */
export class EnvironmentPipelines {
  readonly #rhi: ImmediateContext;
  readonly #kept: ResourceHandle[] = [];
  readonly #faces = new Map<string, FacePipeline>();
  readonly #irradiance = new Map<IrradianceShader, IrradiancePipelines>();
  #sampler: SamplerHandle | undefined;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  get sampler(): SamplerHandle {
    this.#sampler ??= this.#keep(
      this.#rhi.createSampler({
        label: 'environment faces',
        magFilter: 'linear',
        minFilter: 'linear',
        mipmapFilter: 'linear',
        addressModeU: 'repeat',
      }),
    );
    return this.#sampler;
  }

  /** Returns the pipeline that draws faces with a shader. Call it outside passes, because the first call creates it. */
  forFaces(shader: FaceShader, source: FaceInputs | undefined): FacePipeline {
    const key = 'entryPoint' in shader ? shader.entryPoint : shader.code;
    const known = this.#faces.get(key);
    if (known) return known;
    const made = this.#makeForFaces(shader, source);
    this.#faces.set(key, made);
    return made;
  }

  /** Returns the pipelines of a shader of the irradiance. Call it outside passes, because the first call creates them. */
  forIrradiance(shader: IrradianceShader): IrradiancePipelines {
    const known = this.#irradiance.get(shader);
    if (known) return known;
    const made = this.#makeForIrradiance(shader);
    this.#irradiance.set(shader, made);
    return made;
  }

  dispose(): void {
    for (const resource of this.#kept.reverse()) this.#rhi.destroy(resource);
    this.#kept.length = 0;
    this.#sampler = undefined;
    this.#faces.clear();
    this.#irradiance.clear();
  }

  #keep<T extends ResourceHandle>(resource: T): T {
    this.#kept.push(resource);
    return resource;
  }

  #makeForFaces(shader: FaceShader, source: FaceInputs | undefined): FacePipeline {
    const rhi = this.#rhi;
    const label = 'environment faces';
    const isFilter = 'entryPoint' in shader;
    const visibility = ShaderStage.fragment;
    const viewDimension = source?.isCube ? 'cube' : '2d';
    const layout = this.#keep(
      rhi.createBindGroupLayout({
        label,
        entries: [
          { binding: 0, visibility: visibility | ShaderStage.vertex, buffer: { type: 'uniform' } },
          { binding: 1, visibility, sampler: {} },
          ...(source ? [{ binding: 2, visibility, texture: { viewDimension } } as const] : []),
          ...(source?.sun ? [{ binding: 3, visibility, buffer: { type: 'uniform' } } as const] : []),
        ],
      }),
    );
    const code = `${facesCode}${cubeCode}${isFilter ? FILTER_CODE : shader.code}`;
    const module = rhi.createShaderModule({ label, code });
    const pipeline = this.#keep(
      rhi.createGraphicsPipeline({
        label,
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: (!isFilter && shader.vertexEntryPoint) || 'coverFace' },
        fragment: {
          module,
          entryPoint: isFilter ? shader.entryPoint : 'drawFace',
          targets: [{ format: CUBE_FORMAT, blend: { color: WEIGHTED_SUM, alpha: WEIGHTED_SUM } }],
        },
      }),
    );
    rhi.destroy(module);
    return { pipeline, layout };
  }

  #makeForIrradiance({ name: label, code, entryPoints, foundBytes }: IrradianceShader): IrradiancePipelines {
    const rhi = this.#rhi;
    const visibility = ShaderStage.compute;
    const storage = { visibility, buffer: { type: 'storage' } } as const;
    const layout = this.#keep(
      rhi.createBindGroupLayout({
        label,
        entries: [
          { binding: 0, visibility, texture: { viewDimension: '2d-array' } },
          { binding: 1, ...storage },
          ...(foundBytes > 0 ? [{ binding: 2, ...storage }] : []),
        ],
      }),
    );
    const module = rhi.createShaderModule({ label, code });
    const pipelines = entryPoints.map((entryPoint) =>
      this.#keep(
        rhi.createComputePipeline({ label, bindGroupLayouts: [layout], compute: { module, entryPoint } }),
      ),
    );
    rhi.destroy(module);
    return { pipelines, layout };
  }
}
