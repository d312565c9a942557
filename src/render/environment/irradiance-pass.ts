import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import irradianceCode from '../../../shaders/environment-irradiance.wgsl?raw';
import sunCode from '../../../shaders/environment-sun.wgsl?raw';
import sunShareCode from '../../../shaders/environment-sun-share.wgsl?raw';
import type { GraphBuffer, GraphPass, GraphQueue, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  BufferUsage,
  type ComputePipelineHandle,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import { GpuIrradiance } from '../buffers/gpu-layouts.js';
import { IRRADIANCE_LEVEL } from './cube-format.js';
import type { EnvironmentTexture, FaceResources } from './face-passes.js';

/** A shader that reads a mip level of the cube and writes part of the structure `Irradiance`. */
export interface IrradianceShader {
  readonly name: string;
  readonly code: string;
  /** Entry points, each dispatched with one workgroup, in this order. */
  readonly entryPoints: readonly string[];
  readonly level: number;
  readonly queue: GraphQueue;
  /** Size of the buffer in which an entry point leaves results for the next entry point, in bytes; 0: none. */
  readonly foundBytes: number;
}

/** Runs once the cube has been drawn, before it is filtered: finds the sun, or finds that there is none. */
export const SUN_SHADER: IrradianceShader = {
  name: 'environment, sun',
  code: `${facesCode}${GpuIrradiance.wgsl}${sunShareCode}${sunCode}`,
  entryPoints: ['measureWhole', 'measureSun', 'writeSun'],
  level: 0,
  queue: 'automatic',
  // A `Whole` and a `Sun` for each of 256 lanes.
  foundBytes: 256 * (16 + 32),
};

/**
 * Runs last: computes the coefficients of the light that remains without the sun. They are first needed when the scene
 * is lit, so the pass prefers the compute queue, where it may overlap with the shadow maps.
 */
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
  readonly queue: GraphQueue;
  readonly #resources: FaceResources;
  readonly #shader: IrradianceShader;
  readonly #cube: EnvironmentTexture;
  readonly #target: { irradiance: GraphBuffer };
  readonly #images: readonly TextureHandle[] | null;
  #bindGroup: BindGroupHandle | undefined;
  #pipelines: readonly ComputePipelineHandle[] = [];

  /**
   * @param images source images, given only to the last pass. That pass destroys them and the shared resources of this
   * drawing.
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
    const { name: label, level, foundBytes } = this.#shader;
    const found =
      foundBytes > 0 &&
      resources.keep(rhi.createBuffer({ label, byteLength: foundBytes, usage: BufferUsage.storage }));
    const { pipelines, layout } = resources.pipelines.forIrradiance(this.#shader);
    this.#pipelines = pipelines;
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
