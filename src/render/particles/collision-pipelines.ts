import collisionsCode from '../../../shaders/particles-collisions.wgsl?raw';
import keepingCode from '../../../shaders/particles-keeping.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type ComputePipelineHandle,
  type ResourceHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { declareSceneDepth } from './scene-depth.js';

/** Format of the texture that keeps the depth of the last frame. */
export const KEPT_FORMAT = 'r32float';

const visibility = ShaderStage.compute;

/** Pipelines of collisions with surfaces. They exist once a system has such collisions. */
export class CollisionPipelines {
  /** Layout of the bind group with which the simulation reads kept depth. */
  readonly readingLayout: BindGroupLayoutHandle;
  /** Simulates particles that bounce off surfaces. */
  readonly simulation: ComputePipelineHandle;
  readonly #rhi: ImmediateContext;
  readonly #keeping = new Map<number, readonly [BindGroupLayoutHandle, ComputePipelineHandle]>();
  readonly #resources: ResourceHandle[] = [];

  /**
   * @param simulationLayout layout of bind group 0 of the simulation
   * @param simulationCode WGSL of the simulation without `bounced`
   */
  constructor(rhi: ImmediateContext, simulationLayout: BindGroupLayoutHandle, simulationCode: string) {
    this.#rhi = rhi;
    const label = 'particles, collisions';
    this.readingLayout = rhi.createBindGroupLayout({
      label,
      entries: [{ binding: 0, visibility, texture: { sampleType: 'unfilterable-float' } }],
    });
    const module = rhi.createShaderModule({ label, code: `${simulationCode}${collisionsCode}` });
    this.simulation = rhi.createComputePipeline({
      label,
      bindGroupLayouts: [simulationLayout, this.readingLayout],
      compute: { module, entryPoint: 'simulate', constants: { isStepped: 1 } },
    });
    this.#resources.push(this.simulation, module, this.readingLayout);
  }

  /** Returns the layout of the pass that keeps depth. @param sampleCount samples per pixel of the scene */
  keepingLayout(sampleCount: number): BindGroupLayoutHandle {
    return this.#keepingOf(sampleCount)[0];
  }

  /**
   * Returns the pipeline of the pass that keeps depth. Call it outside passes, because the first call per number of
   * samples creates the pipeline.
   */
  keeping(sampleCount: number): ComputePipelineHandle {
    return this.#keepingOf(sampleCount)[1];
  }

  dispose(): void {
    for (const resource of this.#resources) this.#rhi.destroy(resource);
  }

  #keepingOf(sampleCount: number): readonly [BindGroupLayoutHandle, ComputePipelineHandle] {
    const known = this.#keeping.get(sampleCount);
    if (known) return known;
    const rhi = this.#rhi;
    const label = `particles, kept depth, ${sampleCount}`;
    const layout = rhi.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility, texture: { sampleType: 'depth', multisampled: sampleCount > 1 } },
        { binding: 1, visibility, storageTexture: { access: 'write-only', format: KEPT_FORMAT } },
      ],
    });
    const module = rhi.createShaderModule({
      label,
      code: `${declareSceneDepth(0, sampleCount)}${keepingCode}`,
    });
    const pipeline = rhi.createComputePipeline({
      label,
      bindGroupLayouts: [layout],
      compute: { module, entryPoint: 'keepDepth' },
    });
    this.#resources.push(pipeline, module, layout);
    const created = [layout, pipeline] as const;
    this.#keeping.set(sampleCount, created);
    return created;
  }
}
