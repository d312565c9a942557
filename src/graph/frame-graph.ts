import { QueueHint } from '../rhi/commands/commands.js';
import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { CompiledGraph } from './compile.js';
import { GraphContext } from './graph-context.js';
import type {
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
} from './graph-pass.js';
import { GraphPlan, type Step } from './graph-plan.js';
import type { Origin } from './graph-resources.js';
import { GraphSetup } from './graph-setup.js';
import { type PoolStats, TransientPool } from './transient-pool.js';

/** Options of a resource that is imported from outside the graph. */
export interface ImportOptions {
  /** Whether the resource has contents before the first pass. Default true. */
  readonly hasContents?: boolean;
  /**
   * Whether code outside the graph uses the last version of the resource. Passes that write such a resource are never
   * left out. Default true.
   */
  readonly isResult?: boolean;
  /**
   * Records the commands that the resource needs before its first use. Called before the first pass that uses it, when
   * no render or compute pass is open.
   */
  readonly acquire?: () => void;
}

/** A resource that outlives frames, and is created by the first frame whose passes use it. */
export interface LastingSource {
  /** Returns the texture or buffer. May record commands: called in a frame, outside render and compute passes. */
  handle(): number;
}

/**
 * Number of compiled plans that are kept. Frames alternate between a few sets of passes if some passes, such as the
 * passes of a shadow map, run only in some frames.
 */
const MOST_PLANS = 4;
const EVERYTHING: ImportOptions = {};

/**
 * The frame graph (SYSTEMS X1–X5). In each frame, passes declare what they read and write. The graph leaves out
 * unneeded passes. It takes textures and buffers for the frame's own resources from a pool, and executes the remaining
 * passes in the order of set-up.
 *
 *   begin(frame) ─► import…(), addPass(pass) … ─► prepare() ─► execute()
 *                                                    │
 *             same shape as the last frame: its plan is kept, and nothing is allocated
 *             same shape as a recent frame: its plan is reused
 *             new shape:                    a plan is compiled
 *
 * A frame's shape consists of all declarations, clear values included. The functions `prepare` and `execute` of a pass
 * do not belong to the shape, so they may differ in each frame.
 */
export class FrameGraph {
  readonly #rhi: ImmediateContext;
  readonly #pool: TransientPool;
  /** The set-up of the current frame. Checks read the earlier declarations from it. */
  readonly setup = new GraphSetup();
  /** Returns a pass in its checked form (`pass-checker.ts`); undefined if the engine's own passes are not checked. */
  checkPass: ((pass: GraphPass) => GraphPass) | undefined;
  /** Number of plans that have been compiled. */
  compilations = 0;
  /** Plans of the most recent shapes, the latest first. */
  #plans: readonly GraphPlan[] = [];
  readonly #context: GraphContext;
  #versions = 0;
  /** Imported handles of this set-up, by resource number. */
  readonly #imported: number[] = [];
  readonly #acquire: ((() => void) | undefined)[] = [];
  /** Sources of imported handles, by resource number. A source creates its resource once a frame uses it. */
  readonly #sources: (LastingSource | undefined)[] = [];
  #frame = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    this.#pool = new TransientPool(rhi);
    this.#context = new GraphContext(rhi, this.setup.resources.handles);
  }

  get poolStats(): PoolStats {
    return this.#pool.stats;
  }

  /** The compiled graph of the last prepared frame. */
  get compiled(): CompiledGraph | undefined {
    return this.#plans[0]?.compiled;
  }

  /** Begins the frame's set-up. Called per frame. @param frame a rising number */
  begin(frame: number): void {
    this.#frame = frame;
    this.setup.begin();
  }

  /** Imports a texture that outlives the frame, or that code outside the graph owns. */
  importTexture(
    descriptor: GraphTextureDescriptor,
    texture: TextureHandle,
    options?: ImportOptions,
  ): GraphTexture {
    const handle = this.setup.addTexture(descriptor, originOf(options));
    this.#import(handle, texture, options);
    return handle;
  }

  importBuffer(
    descriptor: GraphBufferDescriptor,
    buffer: BufferHandle,
    options?: ImportOptions,
  ): GraphBuffer {
    const handle = this.setup.addBuffer(descriptor, originOf(options));
    this.#import(handle, buffer, options);
    return handle;
  }

  /** Imports a texture that its source creates if the frame uses it (SYSTEMS X2). */
  importLastingTexture(descriptor: GraphTextureDescriptor, source: LastingSource): GraphTexture {
    const handle = this.setup.addTexture(descriptor, originOf());
    this.#import(handle, 0, undefined, source);
    return handle;
  }

  importLastingBuffer(descriptor: GraphBufferDescriptor, source: LastingSource): GraphBuffer {
    const handle = this.setup.addBuffer(descriptor, originOf());
    this.#import(handle, 0, undefined, source);
    return handle;
  }

  /** Adds a pass and runs its `setup`. @throws any error of `setup`; the frame then continues without the pass */
  addPass(pass: GraphPass): void {
    this.setup.addPass(this.checkPass?.(pass) ?? pass);
  }

  /**
   * Ends set-up, creates missing resources, and runs the `prepare` of each remaining pass that is not idle.
   * No render pass is open.
   *
   * @throws any error of a pass
   */
  prepare(): void {
    const plan = this.#findPlan();
    this.#findLasting(plan);
    if (!plan.isResolved(this.#imported)) plan.resolve(this.#imported, ++this.#versions);
    const context = this.#context;
    context.handles = plan.handles;
    context.version = plan.version;
    for (const step of plan.steps) {
      const pass = this.#passOf(step);
      if (!pass.isIdle) pass.prepare?.(context);
    }
  }

  /** Records the passes. @throws any error of a pass */
  execute(): void {
    const rhi = this.#rhi;
    const context = this.#context;
    let queue: QueueHint = QueueHint.graphics;
    for (const step of (this.#plans[0] as GraphPlan).steps) {
      const pass = this.#passOf(step);
      if (step.queue !== queue) {
        queue = step.queue;
        rhi.setQueue(queue);
      }
      for (const resource of step.firstUses) this.#acquire[resource]?.();
      if (pass.isIdle) continue;
      if (step.renderPass) {
        rhi.beginRenderPass(step.renderPass);
        pass.execute(context);
        rhi.endRenderPass();
      } else if (step.pass.pass.kind === 'compute') {
        rhi.beginComputePass(step.computePass);
        pass.execute(context);
        rhi.endComputePass();
      } else pass.execute(context);
    }
    if (queue !== QueueHint.graphics) rhi.setQueue(QueueHint.graphics);
    this.#pool.age(this.#frame);
  }

  /** Destroys the resources that this frame does not use. */
  purge(): void {
    this.#pool.purge();
  }

  dispose(): void {
    this.#plans = [];
    this.#pool.dispose();
  }

  #import(
    handle: number,
    imported: number,
    options: ImportOptions | undefined,
    source?: LastingSource,
  ): void {
    const resource = this.setup.resources.handles.resourceOf(handle);
    this.#imported[resource] = imported;
    this.#acquire[resource] = options?.acquire;
    this.#sources[resource] = source;
  }

  /** Per frame: gets the handles of the lasting resources that the plan's passes use, which creates missing ones. */
  #findLasting({ compiled: { resources } }: GraphPlan): void {
    for (let index = 0; index < resources.length; index++) {
      const isUsed = resources[index]?.resource.isImported;
      const source = isUsed ? this.#sources[index] : undefined;
      if (source) this.#imported[index] = source.handle();
    }
  }

  #passOf(step: Step): GraphPass {
    return this.setup.passes[step.pass.pass.index] as GraphPass;
  }

  /** Returns the plan for the current declarations, with its resources taken from the pool. */
  #findPlan(): GraphPlan {
    const { declarations } = this.setup;
    const before = this.#plans[0];
    if (before && declarations.equals(before.shape)) return before;
    const known = this.#plans.find(({ shape }) => declarations.equals(shape));
    const plan = known ?? new GraphPlan(declarations);
    this.#plans = [plan, ...this.#plans.filter((each) => each !== plan)].slice(0, MOST_PLANS);
    before?.giveBack(this.#pool, this.#frame);
    plan.take(this.#pool);
    if (!known) this.compilations++;
    return plan;
  }
}

/** Origins of imported resources, by `hasContents` and `isResult`, so that imports allocate nothing. */
const ORIGINS: readonly Origin[] = [0, 1, 2, 3].map((bits) => ({
  isImported: true,
  hasContents: (bits & 1) !== 0,
  isResult: (bits & 2) !== 0,
}));

function originOf({ hasContents = true, isResult = true }: ImportOptions = EVERYTHING): Origin {
  return ORIGINS[Number(hasContents) | (Number(isResult) << 1)] as Origin;
}
