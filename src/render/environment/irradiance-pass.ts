import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import irradianceCode from '../../../shaders/environment-irradiance.wgsl?raw';
import sunCode from '../../../shaders/environment-sun.wgsl?raw';
import sunShareCode from '../../../shaders/environment-sun-share.wgsl?raw';
import type { GraphBuffer, GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type ComputePipelineHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import { GpuIrradiance } from '../gpu-layouts.js';
import { IRRADIANCE_LEVEL } from './cube-format.js';
import type { EnvironmentTexture, FaceResources } from './face-passes.js';

/** One workgroup, which reads a mip level of the cube and writes part of the structure `Irradiance`. */
export interface IrradianceShader {
  readonly name: string;
  readonly code: string;
  readonly entryPoint: string;
  readonly level: number;
}

/** First: finds the sun, or that there is none. */
export const SUN_SHADER: IrradianceShader = {
  name: 'environment, sun',
  code: `${facesCode}${GpuIrradiance.wgsl}${sunShareCode}${sunCode}`,
  entryPoint: 'findSun',
  level: 0,
};

/** Last: the coefficients of what is left without the sun. */
export const IRRADIANCE_SHADER: IrradianceShader = {
  name: 'environment, irradiance',
  code: `${facesCode}${GpuIrradiance.wgsl}${irradianceCode}`,
  entryPoint: 'project',
  level: IRRADIANCE_LEVEL,
};

export class IrradiancePass implements GraphPass {
  readonly kind = 'compute';
  readonly name: string;
  readonly queue = 'graphics';
  readonly #resources: FaceResources;
  readonly #shader: IrradianceShader;
  readonly #cube: EnvironmentTexture;
  readonly #target: { irradiance: GraphBuffer };
  readonly #images: readonly TextureHandle[] | null;
  #bindGroup: BindGroupHandle | undefined;
  #pipeline: ComputePipelineHandle | undefined;

  /** @param images of the last pass, behind which what was made for this environment alone goes, and these as well */
  constructor(
    resources: FaceResources,
    shader: IrradianceShader,
    cube: EnvironmentTexture,
    target: { irradiance: GraphBuffer },
    images: readonly TextureHandle[] | null = null,
  ) {
    this.name = shader.name;
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
    const { name: label, code, entryPoint, level } = this.#shader;
    const layout = resources.keep(
      rhi.createBindGroupLayout({
        label,
        entries: [
          { binding: 0, visibility: ShaderStage.compute, texture: { viewDimension: '2d-array' } },
          { binding: 1, visibility: ShaderStage.compute, buffer: { type: 'storage' } },
        ],
      }),
    );
    const module = resources.keep(rhi.createShaderModule({ label, code }));
    this.#pipeline = resources.keep(
      rhi.createComputePipeline({ label, bindGroupLayouts: [layout], compute: { module, entryPoint } }),
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
        ],
      }),
    );
  }

  execute({ rhi }: PassContext): void {
    rhi.setComputePipeline(this.#pipeline as ComputePipelineHandle);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.dispatch(1);
    if (!this.#images) return;
    this.#resources.destroy();
    for (const image of this.#images) rhi.destroy(image);
  }
}
