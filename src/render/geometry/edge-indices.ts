import code from '../../../shaders/triangle-edges.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import { DRAWN_TOPOLOGIES } from '../../proxy/commands.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type ComputePipelineHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import type { GeometryStore } from './geometry-store.js';

/** The triangles of a geometry, in its page. */
const GpuEdgeSource = /* @__PURE__ */ defineGpuStruct('EdgeSource', {
  firstIndex: 'u32',
  triangleCount: 'u32',
  isStrip: 'u32',
  isIndexed: 'u32',
});
const { at } = GpuEdgeSource;

const WORKGROUP = 64;
const MOST_WORKGROUPS = 65_535;
/** Indices per triangle: two per edge. */
const INDICES = 6;

/** The edges of one geometry. */
interface Edges {
  /** See `GeometryStore.versions`. */
  readonly version: number;
  readonly triangleCount: number;
  readonly indices: BufferHandle;
  readonly source: BufferHandle;
  readonly bindGroup: BindGroupHandle;
}

/**
 * Indices of the edges of all triangles, for the debug view of wireframes. A compute shader writes them from the
 * indices of the geometries, because the render thread does not keep these indices after their upload.
 *
 *   page  │ v v v v i i i i i i │ …  ──► edges of the geometry  │ 0 1 1 2 2 0 │ 2 1 1 3 3 2 │
 */
export class EdgeIndices implements GraphPass {
  readonly name = 'edges of triangles';
  readonly kind = 'compute';
  /** Increases when buffers are created or destroyed. */
  version = 0;
  readonly #edges = new Map<number, Edges>();
  /** Edges that the next pass writes. */
  readonly #pending: Edges[] = [];
  readonly #rhi: ImmediateContext;
  readonly #geometries: GeometryStore;
  readonly #layout: BindGroupLayoutHandle;
  readonly #pipeline: ComputePipelineHandle;

  constructor(rhi: ImmediateContext, geometries: GeometryStore) {
    this.#rhi = rhi;
    this.#geometries = geometries;
    const visibility = ShaderStage.compute;
    const label = this.name;
    this.#layout = rhi.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility, buffer: { type: 'read-only-storage' } },
        { binding: 1, visibility, buffer: { type: 'storage' } },
        { binding: 2, visibility, buffer: { type: 'uniform' } },
      ],
    });
    const module = rhi.createShaderModule({ label, code: `${GpuEdgeSource.wgsl}${code}` });
    this.#pipeline = rhi.createComputePipeline({
      label,
      bindGroupLayouts: [this.#layout],
      compute: { module, entryPoint: 'writeEdges' },
    });
    rhi.destroy(module);
  }

  /** Returns the indices of a geometry's edges. */
  indices(geometry: number): BufferHandle | undefined {
    return this.#edges.get(geometry)?.indices;
  }

  /** Returns the number of indices; 0 if the geometry has no edges. */
  count(geometry: number): number {
    return (this.#edges.get(geometry)?.triangleCount ?? 0) * INDICES;
  }

  /** Per frame, outside passes, after geometry has been uploaded: creates and releases edges. */
  update(): void {
    const { versions } = this.#geometries;
    for (const [geometry, edges] of this.#edges) {
      if (!this.#geometries.has(geometry) || versions[geometry] !== edges.version)
        this.#release(geometry, edges);
    }
    for (let geometry = 0; geometry < versions.length; geometry++) {
      if (!this.#edges.has(geometry) && this.#geometries.has(geometry)) this.#create(geometry);
    }
  }

  /** Per frame: adds the pass if edges are pending. */
  addPasses(graph: FrameGraph): void {
    if (this.#pending.length > 0) graph.addPass(this);
  }

  setup(builder: PassBuilder): void {
    builder.keep();
  }

  execute({ rhi }: PassContext): void {
    rhi.setComputePipeline(this.#pipeline);
    for (const { bindGroup, triangleCount } of this.#pending) {
      rhi.setBindGroup(0, bindGroup);
      rhi.dispatch(Math.min(MOST_WORKGROUPS, Math.ceil(triangleCount / WORKGROUP)));
    }
    this.#pending.length = 0;
  }

  dispose(): void {
    for (const [geometry, edges] of this.#edges) this.#release(geometry, edges);
    this.#rhi.destroy(this.#pipeline);
    this.#rhi.destroy(this.#layout);
  }

  #create(geometry: number): void {
    const { topology, page, indexCount, vertexCount, firstIndex, versions } = this.#geometries;
    const name = DRAWN_TOPOLOGIES[topology[geometry] as number];
    const isStrip = name === 'triangle-strip';
    if (!isStrip && name !== 'triangle-list' && name !== 'billboards') return;
    const isIndexed = (indexCount[geometry] as number) > 0;
    const corners = (isIndexed ? indexCount : vertexCount)[geometry] as number;
    const triangleCount = isStrip ? Math.max(0, corners - 2) : Math.floor(corners / 3);
    if (triangleCount === 0) return;
    const rhi = this.#rhi;
    const label = this.name;
    const words = new Uint32Array(GpuEdgeSource.words);
    words[at.firstIndex] = firstIndex[geometry] as number;
    words[at.triangleCount] = triangleCount;
    words[at.isStrip] = Number(isStrip);
    words[at.isIndexed] = Number(isIndexed);
    const source = rhi.createBuffer({
      label,
      byteLength: GpuEdgeSource.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    rhi.writeBuffer(source, 0, words);
    const indices = rhi.createBuffer({
      label,
      byteLength: triangleCount * INDICES * 4,
      usage: BufferUsage.storage | BufferUsage.index,
    });
    const bindGroup = rhi.createBindGroup({
      label,
      layout: this.#layout,
      entries: [
        { binding: 0, buffer: this.#geometries.pageBuffer(page[geometry] as number) },
        { binding: 1, buffer: indices },
        { binding: 2, buffer: source },
      ],
    });
    const edges = { version: versions[geometry] as number, triangleCount, indices, source, bindGroup };
    this.#edges.set(geometry, edges);
    this.#pending.push(edges);
    this.version++;
  }

  #release(geometry: number, edges: Edges): void {
    this.#edges.delete(geometry);
    const place = this.#pending.indexOf(edges);
    if (place >= 0) this.#pending.splice(place, 1);
    for (const resource of [edges.bindGroup, edges.indices, edges.source]) this.#rhi.destroy(resource);
    this.version++;
  }
}
