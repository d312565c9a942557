import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import imageCode from '../../../shaders/environment-image.wgsl?raw';
import irradianceCode from '../../../shaders/environment-irradiance.wgsl?raw';
import skyCode from '../../../shaders/environment-sky.wgsl?raw';
import cubeCode from '../../../shaders/environment-source-cube.wgsl?raw';
import studioCode from '../../../shaders/environment-studio.wgsl?raw';
import { EnvironmentKind } from '../../proxy/commands.js';
import {
  type BufferHandle,
  ShaderStage,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import {
  CUBE_FORMAT,
  CUBE_SIZE,
  IRRADIANCE_LEVEL,
  LOBE_LEVELS,
  LOBE_SAMPLES,
  SOURCE_LEVELS,
} from './cube-format.js';
import { FacePasses } from './face-passes.js';

/** Where radiance comes from. */
export interface EnvironmentSource {
  /** `EnvironmentKind`. */
  readonly kind: number;
  /** Factor on its radiance. */
  readonly weight: number;
  /** Equirectangular, or a cube; for `image`. */
  readonly image?: { readonly texture: TextureHandle; readonly isCube: boolean } | undefined;
}

/**
 * Fills the textures of an environment. Recorded once per environment, about 90 small passes.
 *
 *   images, studio, sky, added up ─► cube 256² ─halve─► its mip levels ─┬─ blur ──► lobes: 5 levels, roughness 0 to 1
 *                                                                         └─ project ─► irradiance: 9 coefficients
 */
export function recordEnvironment(
  rhi: ImmediateContext,
  sources: readonly EnvironmentSource[],
  toSun: readonly [number, number, number],
  lobes: TextureHandle,
  irradiance: BufferHandle,
): void {
  const cube = rhi.createTexture({
    label: 'environment, unfiltered',
    width: CUBE_SIZE,
    height: CUBE_SIZE,
    depthOrArrayLayers: 6,
    mipLevelCount: SOURCE_LEVELS,
    format: CUBE_FORMAT,
    usage: TextureUsage.textureBinding | TextureUsage.renderAttachment,
  });
  const passes = new FacePasses(rhi);
  for (const [index, { kind, weight, image }] of sources.entries()) {
    const first = { target: cube, level: 0, size: CUBE_SIZE, toSun, weight, isAdded: index > 0 };
    if (image?.isCube) {
      const source = { texture: image.texture, dimension: 'cube' } as const;
      passes.add({ code: cubeCode, isCube: true }, { ...first, source });
    } else if (image) passes.add({ code: imageCode }, { ...first, source: { texture: image.texture } });
    else passes.add({ code: kind === EnvironmentKind.sky ? skyCode : studioCode }, first);
  }
  for (let level = 1; level < SOURCE_LEVELS; level++) {
    const above = { texture: cube, dimension: 'cube', baseMipLevel: level - 1, mipLevelCount: 1 } as const;
    passes.add({ entryPoint: 'halve' }, { target: cube, level, size: CUBE_SIZE >> level, source: above });
  }
  const whole = { texture: cube, dimension: 'cube' } as const;
  for (let level = 0; level < LOBE_LEVELS; level++) {
    const size = CUBE_SIZE >> level;
    const pass = { target: lobes, level, size, source: whole, sourceSize: CUBE_SIZE };
    if (level === 0) passes.add({ entryPoint: 'halve' }, pass);
    else {
      const roughness = level / (LOBE_LEVELS - 1);
      passes.add({ entryPoint: 'blur' }, { ...pass, roughness, samples: LOBE_SAMPLES[level] as number });
    }
  }
  passes.record();
  recordIrradiance(rhi, cube, irradiance);
  rhi.destroy(cube);
}

function recordIrradiance(rhi: ImmediateContext, cube: TextureHandle, irradiance: BufferHandle): void {
  const label = 'environment, irradiance';
  const layout = rhi.createBindGroupLayout({
    label,
    entries: [
      { binding: 0, visibility: ShaderStage.compute, texture: { viewDimension: '2d-array' } },
      { binding: 1, visibility: ShaderStage.compute, buffer: { type: 'storage' } },
    ],
  });
  const module = rhi.createShaderModule({ label, code: `${facesCode}${irradianceCode}` });
  const pipeline = rhi.createComputePipeline({
    label,
    bindGroupLayouts: [layout],
    compute: { module, entryPoint: 'project' },
  });
  const view = {
    texture: cube,
    dimension: '2d-array',
    baseMipLevel: IRRADIANCE_LEVEL,
    mipLevelCount: 1,
  } as const;
  const bindGroup = rhi.createBindGroup({
    label,
    layout,
    entries: [
      { binding: 0, view },
      { binding: 1, buffer: irradiance },
    ],
  });
  rhi.beginComputePass({ label });
  rhi.setComputePipeline(pipeline);
  rhi.setBindGroup(0, bindGroup);
  rhi.dispatch(1);
  rhi.endComputePass();
  for (const resource of [bindGroup, pipeline, module, layout]) rhi.destroy(resource);
}
