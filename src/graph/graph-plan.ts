import { QueueHint } from '../rhi/commands/commands.js';
import type { BufferHandle, RenderPassDescriptor, TextureHandle } from '../rhi/commands/descriptors.js';
import { type CompiledGraph, type CompiledPass, compileGraph } from './compile.js';
import { Declarations } from './declarations.js';
import { readShape } from './graph-shape.js';
import { describeRenderPass } from './pass-descriptors.js';
import type { TransientPool } from './transient-pool.js';

/** An executed pass, with its descriptors. */
export interface Step {
  readonly pass: CompiledPass;
  readonly queue: QueueHint;
  /** Descriptor of a raster pass; undefined for other kinds. */
  renderPass: RenderPassDescriptor | undefined;
  /** Descriptor for a compute pass. */
  readonly computePass: { readonly label: string };
  /** Imported resources whose first use is in this pass. */
  readonly firstUses: readonly number[];
}

const QUEUES = { graphics: QueueHint.graphics, compute: QueueHint.compute, copy: QueueHint.copy } as const;

/**
 * The compiled graph of one shape. It remembers its last pooled resources, and asks the pool for the same ones again.
 */
export class GraphPlan {
  readonly shape = new Declarations();
  readonly compiled: CompiledGraph;
  readonly steps: readonly Step[];
  /** Changes whenever a handle resolves to another resource; no two plans share a version. */
  version = 0;
  /** Textures and buffers, by resource number. */
  handles: readonly number[] = [];
  /** Pooled resources, by index of the allocation. */
  #taken: readonly (TextureHandle | BufferHandle)[] = [];

  constructor(declarations: Declarations) {
    this.shape.copy(declarations);
    const compiled = compileGraph(readShape(declarations));
    this.compiled = compiled;
    this.steps = compiled.passes.map((pass, place) => ({
      pass,
      queue: QUEUES[pass.queue],
      renderPass: undefined,
      computePass: { label: pass.pass.name },
      firstUses: compiled.resources.flatMap((life) =>
        life?.resource.isImported && life.firstUse === place ? [life.resource.index] : [],
      ),
    }));
  }

  /** Takes the plan's resources from the pool. */
  take(pool: TransientPool): void {
    const before = this.#taken;
    this.#taken = this.compiled.allocations.map((allocation, index) => pool.take(allocation, before[index]));
  }

  /** Returns the plan's resources to the pool, for other plans. */
  giveBack(pool: TransientPool, frame: number): void {
    for (const handle of this.#taken) pool.giveBack(handle, frame);
  }

  /**
   * Returns whether all handles still resolve to the same resources. Called per frame.
   * @param imported imported handles, by resource number
   */
  isResolved(imported: readonly number[]): boolean {
    const { handles } = this;
    for (let index = 0; index < handles.length; index++) {
      if (handles[index] !== this.#find(index, imported)) return false;
    }
    return this.version > 0;
  }

  /** Resolves all handles, and describes the render passes with them. @param version a number that no plan has had */
  resolve(imported: readonly number[], version: number): void {
    const { compiled } = this;
    const handles = compiled.resources.map((_, index) => this.#find(index, imported));
    this.handles = handles;
    this.version = version;
    for (const step of this.steps) {
      if (step.pass.pass.kind !== 'raster') continue;
      step.renderPass = describeRenderPass(
        compiled,
        step.pass.pass,
        ({ resource }) => handles[resource.index] as TextureHandle,
      );
    }
  }

  /** Returns the handle that a resource has now; 0 if no executed pass uses it. */
  #find(index: number, imported: readonly number[]): number {
    const life = this.compiled.resources[index];
    if (!life) return 0;
    return (life.allocation === undefined ? imported[index] : this.#taken[life.allocation]) as number;
  }
}
