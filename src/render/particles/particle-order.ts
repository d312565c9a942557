import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphBuffer, GraphBufferDescriptor } from '../../graph/graph-pass.js';
import { type BindGroupHandle, type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { View } from '../views/view.js';
import { Collision } from './gpu-particles.js';
import type { ParticlePipelines } from './particle-pipelines.js';
import type { ParticleSystem } from './particle-system.js';
import { GpuSorting, SORT_BLOCK, type SortPipelines } from './sort-pipelines.js';

const { at, words: WORDS } = GpuSorting;
/** Bytes of an entry: key and index. */
const ENTRY_BYTES = 8;
/** Threads of a workgroup. */
const WORKGROUP = SORT_BLOCK / 2;

/**
 * The order in which one view draws the particles of a sorted system: back to front.
 *
 *   depths ─► entries (key, index) ─► sorted blocks ─► merges of twice the length … ─► drawing
 */
export class ParticleOrder {
  readonly system: ParticleSystem;
  /** Newest version of the entries in this frame's graph. */
  version!: GraphBuffer;
  readonly #rhi: ImmediateContext;
  readonly #pipelines: SortPipelines;
  readonly #descriptor: GraphBufferDescriptor;
  readonly #floats = new Float32Array(WORDS);
  readonly #words = new Uint32Array(this.#floats.buffer);
  readonly #entries: BufferHandle;
  readonly #uniforms: BufferHandle;
  readonly #systemGroup: BindGroupHandle;
  readonly #viewGroup: BindGroupHandle;
  /** Bind group 1 of the drawing. */
  readonly drawing: BindGroupHandle;

  /** @param suffix suffix of the view's names */
  constructor(rhi: ImmediateContext, system: ParticleSystem, pipelines: ParticlePipelines, suffix: string) {
    this.#rhi = rhi;
    this.system = system;
    const sort = pipelines.sort();
    this.#pipelines = sort;
    const name = `${system.name}, order${suffix}`;
    const byteLength = lengthFor(system.capacity) * ENTRY_BYTES;
    this.#descriptor = { name, byteLength };
    this.#entries = rhi.createBuffer({ label: name, byteLength, usage: BufferUsage.storage });
    this.#uniforms = rhi.createBuffer({
      label: name,
      byteLength: GpuSorting.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const { entries } = system;
    this.#systemGroup = rhi.createBindGroup({ label: name, layout: sort.systemLayout, entries });
    this.#viewGroup = rhi.createBindGroup({
      label: name,
      layout: sort.viewLayout,
      entries: [
        { binding: 0, buffer: this.#uniforms },
        { binding: 1, buffer: this.#entries },
      ],
    });
    this.drawing = rhi.createBindGroup({
      label: name,
      layout: pipelines.sortedLayout,
      entries: [...entries, { binding: 3, buffer: this.#entries }],
    });
  }

  /** Per frame, outside passes, after `ParticleSystem.prepare`: uploads the view. */
  prepare({ forward, position }: View): void {
    const { count } = this.system.births;
    if (count === 0) return;
    const floats = this.#floats;
    let distance = 0;
    for (let axis = 0; axis < 3; axis++) {
      const direction = forward[axis] as number;
      floats[at.forward + axis] = direction;
      distance += direction * (this.system.toOrigin(axis) - (position[axis] as number));
    }
    floats[at.distance] = distance;
    this.#words[at.length] = lengthFor(count);
    writeWordsUnordered(this.#rhi.writer, this.#uniforms, 0, this.#words, 0, WORDS);
  }

  /** Per frame: imports the entries. */
  addTo(graph: FrameGraph): void {
    this.version = graph.importBuffer(this.#descriptor, this.#entries);
  }

  /** Sorts, in a compute pass. */
  record(): void {
    const rhi = this.#rhi;
    const { births, collision } = this.system;
    if (births.count === 0) return;
    const pipelines = this.#pipelines;
    const { sortBlocks, mergeFar, mergeBlocks, merges, steps } = pipelines;
    const length = lengthFor(births.count);
    rhi.setBindGroup(0, this.#systemGroup);
    rhi.setBindGroup(1, this.#viewGroup);
    rhi.setBindGroup(2, merges, steps[0]?.offsets);
    rhi.setComputePipeline(pipelines.writeKeys(collision === Collision.plane));
    rhi.dispatch(length / WORKGROUP);
    rhi.setComputePipeline(sortBlocks);
    rhi.dispatch(length / SORT_BLOCK);
    for (const step of steps) {
      if (step.length > length) break;
      const isFar = step.reach >= SORT_BLOCK;
      rhi.setComputePipeline(isFar ? mergeFar : mergeBlocks);
      rhi.setBindGroup(2, merges, step.offsets);
      rhi.dispatch(length / SORT_BLOCK);
    }
  }

  dispose(): void {
    for (const group of [this.drawing, this.#systemGroup, this.#viewGroup]) this.#rhi.destroy(group);
    for (const buffer of [this.#entries, this.#uniforms]) this.#rhi.destroy(buffer);
  }
}

/** Returns the number of entries for a number of particles: a power of two, at least a block. */
const lengthFor = (count: number): number => Math.max(SORT_BLOCK, 2 ** Math.ceil(Math.log2(count)));
