import { QueueHint } from '../rhi/commands/commands.js';
import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { CompiledGraph } from './compile.js';
import { GraphContext } from './graph-context.js';
import { handleResource } from './graph-handles.js';
import type {
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
} from './graph-pass.js';
import { GraphPlan, type Step } from './graph-plan.js';
import type { PlaceOnQueues } from './graph-queues.js';
import type { Origin } from './graph-resources.js';
import { GraphSetup } from './graph-setup.js';
import { type PoolStats, TransientPool } from './transient-pool.js';

/** How a resource from outside the graph is taken in. */
export interface ImportOptions {
  /** It holds something before the first pass. Default true. */
  readonly hasContents?: boolean;
  /** What passes write to it is wanted outside: these passes are executed. Default true. */
  readonly isResult?: boolean;
  /** Called before the first pass that uses it, outside passes: what has to be recorded before it can be used. */
  readonly acquire?: () => void;
}

/** What is drawn in some frames only (a shadow map, an effect for a moment) makes a few shapes that take turns. */
const MOST_PLANS = 4;
const EVERYTHING: ImportOptions = {};

/**
 * The frame graph (SYSTEMS X1–X5): each frame, passes declare what they read and write; the graph leaves out what
 * nobody needs, finds textures for what lives only in the frame, and executes the rest in the order of set-up.
 *
 *   begin ─► import…, addPass(setup) … ─► compile ─► prepare(rhi) ─► execute(rhi)
 *                                            │
 *             same shape as the last frame: all of it is kept, and nothing is allocated;
 *             that of a frame not long ago: its plan is taken up again
 *
 * A frame's shape is all that was declared, clear values included. `prepare` and `execute` of passes may be other
 * functions in each frame.
 */
export class FrameGraph {
  readonly #rhi: ImmediateContext;
  readonly #pool: TransientPool;
  /** Of the frame that has begun: checks read from it what was declared before. */
  readonly setup = new GraphSetup();
  /** Where compute and copy passes run; set before the first of them is added. */
  queues: PlaceOnQueues | undefined;
  /** How often a shape was compiled. */
  compilations = 0;
  /** Of the shapes that frames had last, the latest first. */
  #plans: readonly GraphPlan[] = [];
  readonly #context: GraphContext;
  #versions = 0;
  /** By number of the resource: what was imported in this set-up. */
  readonly #imported: number[] = [];
  readonly #acquire: ((() => void) | undefined)[] = [];
  #frame = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    this.#pool = new TransientPool(rhi);
    this.#context = new GraphContext(rhi);
  }

  get poolStats(): PoolStats {
    return this.#pool.stats;
  }

  /** The graph that was executed last. */
  get compiled(): CompiledGraph | undefined {
    return this.#plans[0]?.compiled;
  }

  /** Per frame: begins its set-up. @param frame numbers rise */
  begin(frame: number): void {
    this.#frame = frame;
    this.setup.begin();
  }

  /** A texture that lives longer than the frame, or belongs to somebody else. */
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

  /** @throws whatever its `setup` throws; the frame goes on without the pass */
  addPass(pass: GraphPass): void {
    this.setup.addPass(pass);
  }

  /**
   * Ends set-up; creates what is missing, and records what passes do outside render passes.
   *
   * @throws whatever a pass throws
   */
  prepare(): void {
    const plan = this.#findPlan();
    if (!plan.isResolved(this.#imported)) plan.resolve(this.#imported, ++this.#versions);
    const context = this.#context;
    context.handles = plan.handles;
    context.version = plan.version;
    for (const step of plan.steps) {
      const pass = this.#passOf(step);
      if (!pass.isIdle) pass.prepare?.(context);
    }
  }

  /** Records the passes. @throws whatever a pass throws */
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

  /** Destroys what this frame doesn't use. */
  purge(): void {
    this.#pool.purge();
  }

  dispose(): void {
    this.#plans = [];
    this.#pool.dispose();
  }

  #import(handle: number, imported: number, options: ImportOptions | undefined): void {
    const resource = handleResource(handle);
    this.#imported[resource] = imported;
    this.#acquire[resource] = options?.acquire;
  }

  #passOf(step: Step): GraphPass {
    return this.setup.passes[step.pass.pass.index] as GraphPass;
  }

  /** The plan of what was declared, with its resources. */
  #findPlan(): GraphPlan {
    const { declarations } = this.setup;
    const before = this.#plans[0];
    if (before && declarations.equals(before.shape)) return before;
    const known = this.#plans.find(({ shape }) => declarations.equals(shape));
    const plan = known ?? new GraphPlan(declarations, this.queues);
    this.#plans = [plan, ...this.#plans.filter((each) => each !== plan)].slice(0, MOST_PLANS);
    before?.giveBack(this.#pool, this.#frame);
    plan.take(this.#pool);
    if (!known) this.compilations++;
    return plan;
  }
}

/** Origins of imported resources, by `hasContents` and `isResult`: an import allocates nothing. */
const ORIGINS: readonly Origin[] = [0, 1, 2, 3].map((bits) => ({
  isImported: true,
  hasContents: (bits & 1) !== 0,
  isResult: (bits & 2) !== 0,
}));

function originOf({ hasContents = true, isResult = true }: ImportOptions = EVERYTHING): Origin {
  return ORIGINS[Number(hasContents) | (Number(isResult) << 1)] as Origin;
}
