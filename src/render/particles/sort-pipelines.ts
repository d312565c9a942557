import commonCode from '../../../shaders/particles.wgsl?raw';
import code from '../../../shaders/particles-sorting.wgsl?raw';
import { MOST_PARTICLES } from '../../proxy/particles.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  BufferUsage,
  type ComputePipelineHandle,
  type ResourceHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct, UNIFORM_SLOT_BYTES } from '../buffers/gpu-struct.js';
import { GpuParticleSystem } from './gpu-particles.js';

/** Parameters of a sort for one view. */
export const GpuSorting = /* @__PURE__ */ defineGpuStruct('Sorting', {
  /** Direction of view. */
  forward: 'vec3f',
  /** Depth of the system's anchor in the view. */
  distance: 'f32',
  /** Number of entries, a power of two. */
  length: 'u32',
});

/** A step of the sort: entries at a distance of `reach` are compared, in sequences of `length`. */
const GpuMerge = /* @__PURE__ */ defineGpuStruct('Merge', { length: 'u32', reach: 'u32' });

/** Entries that a workgroup sorts in its own memory. */
export const SORT_BLOCK = 512;

/** A step after the blocks are sorted. */
interface MergeStep {
  /** Length of the merged sequences, in entries. */
  readonly length: number;
  /** Distance between the two entries of a comparison. A step within a block continues with smaller distances. */
  readonly reach: number;
  /** Dynamic offset of the step's `Merge`. */
  readonly offsets: readonly [number];
}

/** Pipelines of sorts. They exist once a system is sorted. */
export class SortPipelines {
  readonly systemLayout: BindGroupLayoutHandle;
  readonly viewLayout: BindGroupLayoutHandle;
  readonly sortBlocks: ComputePipelineHandle;
  readonly mergeBlocks: ComputePipelineHandle;
  readonly mergeFar: ComputePipelineHandle;
  /** Bind group of the steps. */
  readonly merges: BindGroupHandle;
  /** All steps. A sort of fewer entries ends early. */
  readonly steps: readonly MergeStep[] = makeSteps();
  /** Pipelines that write keys: without and with collisions with a plane. */
  readonly #keys: readonly [ComputePipelineHandle, ComputePipelineHandle];
  readonly #rhi: ImmediateContext;
  readonly #resources: readonly ResourceHandle[];

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    const label = 'particles, sort';
    const visibility = ShaderStage.compute;
    const readOnly = { type: 'read-only-storage' } as const;
    const layoutOf = (...buffers: GPUBufferBindingLayout[]): BindGroupLayoutHandle =>
      rhi.createBindGroupLayout({
        label,
        entries: buffers.map((buffer, binding) => ({ binding, visibility, buffer })),
      });
    this.systemLayout = layoutOf({ type: 'uniform' }, readOnly, readOnly);
    this.viewLayout = layoutOf({ type: 'uniform' }, { type: 'storage' });
    const stepLayout = layoutOf({ type: 'uniform', hasDynamicOffset: true });
    const structures = `${GpuParticleSystem.wgsl}${GpuSorting.wgsl}${GpuMerge.wgsl}`;
    const module = rhi.createShaderModule({ label, code: `${structures}${commonCode}${code}` });
    const bindGroupLayouts = [this.systemLayout, this.viewLayout, stepLayout];
    const create = (entryPoint: string, collides = 0): ComputePipelineHandle =>
      rhi.createComputePipeline({
        label,
        bindGroupLayouts,
        compute: { module, entryPoint, constants: { collides } },
      });
    this.#keys = [create('writeKeys'), create('writeKeys', 1)];
    this.sortBlocks = create('sortBlocks');
    this.mergeBlocks = create('mergeBlocks');
    this.mergeFar = create('mergeFar');
    const words = new Uint32Array((this.steps.length * UNIFORM_SLOT_BYTES) / 4);
    for (const { length, reach, offsets } of this.steps) {
      words[offsets[0] / 4 + GpuMerge.at.length] = length;
      words[offsets[0] / 4 + GpuMerge.at.reach] = reach;
    }
    const buffer = rhi.createBuffer({
      label,
      byteLength: words.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    rhi.writeBuffer(buffer, 0, words);
    this.merges = rhi.createBindGroup({
      label,
      layout: stepLayout,
      entries: [{ binding: 0, buffer, byteLength: GpuMerge.byteLength }],
    });
    const { sortBlocks, mergeBlocks, mergeFar, systemLayout, viewLayout, merges } = this;
    this.#resources = [
      merges,
      buffer,
      ...this.#keys,
      ...[sortBlocks, mergeBlocks, mergeFar],
      module,
      ...[systemLayout, viewLayout, stepLayout],
    ];
  }

  writeKeys(collides: boolean): ComputePipelineHandle {
    return this.#keys[collides ? 1 : 0];
  }

  dispose(): void {
    for (const resource of this.#resources) this.#rhi.destroy(resource);
  }
}

/** Returns the steps after the blocks are sorted, in their order. */
function makeSteps(): MergeStep[] {
  const steps: MergeStep[] = [];
  for (let length = SORT_BLOCK * 2; length <= MOST_PARTICLES; length *= 2) {
    for (let reach = length / 2; reach >= SORT_BLOCK / 2; reach /= 2) {
      steps.push({ length, reach, offsets: [steps.length * UNIFORM_SLOT_BYTES] });
    }
  }
  return steps;
}
