import { QueueHint } from '../rhi/commands/commands.js';
import type { BufferHandle, RenderPassDescriptor, TextureHandle } from '../rhi/commands/descriptors.js';
import { type CompiledGraph, type CompiledPass, compileGraph } from './compile.js';
import { Declarations } from './declarations.js';
import type { PlaceOnQueues } from './graph-queues.js';
import { readShape } from './graph-shape.js';
import { describeRenderPass } from './pass-descriptors.js';
import type { TransientPool } from './transient-pool.js';

/** A pass as it is executed. */
export interface Step {
  readonly pass: CompiledPass;
  readonly queue: QueueHint;
  /** Of raster passes. */
  renderPass: RenderPassDescriptor | undefined;
  /** Of compute passes. */
  readonly computePass: { readonly label: string };
  /** Imported resources that no pass before it uses. */
  readonly firstUses: readonly number[];
}

const QUEUES = { graphics: QueueHint.graphics, compute: QueueHint.compute, copy: QueueHint.copy } as const;

/** What was compiled for one shape, and the resources that it had last: it asks for the same ones again. */
export class GraphPlan {
  readonly shape = new Declarations();
  readonly compiled: CompiledGraph;
  readonly steps: readonly Step[];
  /** Another number whenever handles stand for something else; no two plans share one. */
  version = 0;
  /** By number of the resource: what its handles stand for. */
  handles: readonly number[] = [];
  /** By allocation. */
  #taken: readonly (TextureHandle | BufferHandle)[] = [];

  constructor(declarations: Declarations, queues: PlaceOnQueues | undefined) {
    this.shape.copy(declarations);
    const compiled = compileGraph(readShape(declarations), queues);
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

  /** Takes its resources out of the pool. */
  take(pool: TransientPool): void {
    const before = this.#taken;
    this.#taken = this.compiled.allocations.map((allocation, index) => pool.take(allocation, before[index]));
  }

  /** Other plans may have its resources from now on. */
  giveBack(pool: TransientPool, frame: number): void {
    for (const handle of this.#taken) pool.giveBack(handle, frame);
  }

  /** Per frame: whether handles stand for what they stood for. @param imported by number of the resource */
  isResolved(imported: readonly number[]): boolean {
    const { handles } = this;
    for (let index = 0; index < handles.length; index++) {
      if (handles[index] !== this.#find(index, imported)) return false;
    }
    return this.version > 0;
  }

  /** Finds what handles stand for, and describes the render passes with it. @param version that no plan has had */
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

  /** What a resource is now; 0: no pass that is executed uses it. */
  #find(index: number, imported: readonly number[]): number {
    const life = this.compiled.resources[index];
    if (!life) return 0;
    return (life.allocation === undefined ? imported[index] : this.#taken[life.allocation]) as number;
  }
}
