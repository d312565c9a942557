import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import irradianceCode from '../../../shaders/environment-irradiance.wgsl?raw';
import sunCode from '../../../shaders/environment-sun.wgsl?raw';
import sunShareCode from '../../../shaders/environment-sun-share.wgsl?raw';
import type { GraphBuffer, GraphPass, GraphQueue, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  BufferUsage,
  type ComputePipelineHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import { GpuIrradiance } from '../buffers/gpu-layouts.js';
import { IRRADIANCE_LEVEL } from './cube-format.js';
import type { EnvironmentTexture, FaceResources } from './face-passes.js';

/** A shader that reads a mip level of the cube and writes part of the structure `Irradiance`. */
interface IrradianceShader {
  readonly name: string;
  readonly code: string;
  /** Entry points, each dispatched with one workgroup, in this order. */
  readonly entryPoints: readonly string[];
  readonly level: number;
  readonly queue: GraphQueue;
  /** Size of the buffer in which an entry point leaves results for the next one, in bytes; 0: none. */
  readonly foundBytes: number;
}

/** Runs first: finds the sun, or finds that there is none. */
export const SUN_SHADER: IrradianceShader = {
  name: 'environment, sun',
  code: `${facesCode}${GpuIrradiance.wgsl}${sunShareCode}${sunCode}`,
  entryPoints: ['measureWhole', 'measureSun', 'writeSun'],
  level: 0,
  queue: 'automatic',
  // A `Whole` and a `Sun` for each of 256 lanes.
  foundBytes: 256 * (16 + 32),
};

/** Runs last: computes the coefficients of the light that remains without the sun. */
export const IRRADIANCE_SHADER: IrradianceShader = {
  name: 'environment, irradiance',
  code: `${facesCode}${GpuIrradiance.wgsl}${irradianceCode}`,
  entryPoints: ['project'],
  level: IRRADIANCE_LEVEL,
  queue: 'compute',
  foundBytes: 0,
};

export class IrradiancePass implements GraphPass {
  readonly kind = 'compute';
  readonly name: string;
  /** Nothing waits for the irradiance before the scene is lit, so it is projected beside the shadow maps. */
  readonly queue: GraphQueue;
  readonly #resources: FaceResources;
  readonly #shader: IrradianceShader;
  readonly #cube: EnvironmentTexture;
  readonly #target: { irradiance: GraphBuffer };
  readonly #images: readonly TextureHandle[] | null;
  #bindGroup: BindGroupHandle | undefined;
  #pipelines: readonly ComputePipelineHandle[] = [];

  /**
   * @param images source images, for the last pass only, which destroys them and all shared resources of the
   * environment
   */
  constructor(
    resources: FaceResources,
    shader: IrradianceShader,
    cube: EnvironmentTexture,
    target: { irradiance: GraphBuffer },
    images: readonly TextureHandle[] | null = null,
  ) {
    this.name = shader.name;
    this.queue = shader.queue;
    this.#resources = resources;
    this.#shader = shader;
    this.#cube = cube;
    this.#target = target;
    this.#images = images;
  }

  setup(builder: PassBuilder): void {
    const target = this.#target;
    builder.read(this.#cube.version, 'sampled', { mipLevel: this.#shader.level });
    target.irradiance = builder.modify(target.irradiance, 'storage');
  }

  prepare(context: PassContext): void {
    const resources = this.#resources;
    const { rhi } = resources;
    const { name: label, code, entryPoints, level, foundBytes } = this.#shader;
    const found =
      foundBytes > 0 &&
      resources.keep(rhi.createBuffer({ label, byteLength: foundBytes, usage: BufferUsage.storage }));
    const layout = resources.keep(
      rhi.createBindGroupLayout({
        label,
        entries: [
          { binding: 0, visibility: ShaderStage.compute, texture: { viewDimension: '2d-array' } },
          { binding: 1, visibility: ShaderStage.compute, buffer: { type: 'storage' } },
          ...(found
            ? [{ binding: 2, visibility: ShaderStage.compute, buffer: { type: 'storage' } } as const]
            : []),
        ],
      }),
    );
    const module = resources.keep(rhi.createShaderModule({ label, code }));
    this.#pipelines = entryPoints.map((entryPoint) =>
      resources.keep(
        rhi.createComputePipeline({ label, bindGroupLayouts: [layout], compute: { module, entryPoint } }),
      ),
    );
    const view = {
      texture: context.texture(this.#cube.version),
      dimension: '2d-array',
      baseMipLevel: level,
      mipLevelCount: 1,
    } as const;
    this.#bindGroup = resources.keep(
      rhi.createBindGroup({
        label,
        layout,
        entries: [
          { binding: 0, view },
          { binding: 1, buffer: context.buffer(this.#target.irradiance) },
          ...(found ? [{ binding: 2, buffer: found }] : []),
        ],
      }),
    );
  }

  execute({ rhi }: PassContext): void {
    for (const pipeline of this.#pipelines) {
      rhi.setComputePipeline(pipeline);
      rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
      rhi.dispatch(1);
    }
    if (!this.#images) return;
    this.#resources.destroy();
    for (const image of this.#images) rhi.destroy(image);
  }
}
