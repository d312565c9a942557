import { QueueHint } from '../rhi/commands/commands.js';
import type { BufferHandle, RenderPassDescriptor, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { type CompiledGraph, type CompiledPass, compileGraph } from './compile.js';
import { Declarations } from './declarations.js';
import { GraphContext } from './graph-context.js';
import { handleResource } from './graph-handles.js';
import type {
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
} from './graph-pass.js';
import type { Origin } from './graph-resources.js';
import { GraphSetup } from './graph-setup.js';
import { readShape } from './graph-shape.js';
import { describeRenderPass } from './pass-descriptors.js';
import { type PoolStats, TransientPool } from './transient-pool.js';

/**
 * The frame graph (SYSTEMS X1–X5): each frame, passes declare what they read and write; the graph leaves out what
 * nobody needs, finds textures for what lives only in the frame, and executes the rest in the order of set-up.
 *
 *   begin ─► import…, addPass(setup) … ─► compile ─► prepare(rhi) ─► execute(rhi)
 *                                            │
 *             same shape as the last frame: all of it is kept, and nothing is allocated
 *
 * A frame's shape is all that was declared, clear values included. `prepare` and `execute` of passes may be other
 * functions in each frame.
 */
export interface ImportOptions {
  /** It holds something before the first pass. Default true. */
  readonly hasContents?: boolean;
  /** What passes write to it is wanted outside: these passes are executed. Default true. */
  readonly isResult?: boolean;
  /** Called before the first pass that uses it, outside passes: what has to be recorded before it can be used. */
  readonly acquire?: () => void;
}

export interface GraphStats {
  readonly passes: number;
  /** Declared, and needed by nobody. */
  readonly culledPasses: number;
  /** Bytes of the transient resources if each had memory of its own. */
  readonly unsharedBytes: number;
  readonly sharedBytes: number;
  /** How often the shape has changed, the first frame included. */
  readonly compilations: number;
}

/** A pass as it is executed. */
interface Step {
  readonly pass: CompiledPass;
  readonly queue: QueueHint;
  /** Of raster passes. */
  renderPass: RenderPassDescriptor | undefined;
  /** Of compute passes. */
  readonly computePass: { readonly label: string };
  /** Imported resources that no pass before it uses. */
  readonly firstUses: readonly number[];
}

const EVERYTHING: ImportOptions = {};
const QUEUES = { graphics: QueueHint.graphics, compute: QueueHint.compute, copy: QueueHint.copy } as const;

export class FrameGraph {
  readonly #rhi: ImmediateContext;
  readonly #pool: TransientPool;
  /** Of the frame that has begun: checks read from it what was declared before. */
  readonly setup = new GraphSetup();
  /** Of the compiled frame. */
  readonly #compiledShape = new Declarations();
  readonly #context: GraphContext;
  #compiled: CompiledGraph | undefined;
  #steps: readonly Step[] = [];
  /** By number of the resource: what was imported in this set-up. */
  readonly #imported: number[] = [];
  readonly #acquire: ((() => void) | undefined)[] = [];
  #taken: (TextureHandle | BufferHandle)[] = [];
  #frame = 0;
  #stats: GraphStats = { passes: 0, culledPasses: 0, unsharedBytes: 0, sharedBytes: 0, compilations: 0 };

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    this.#pool = new TransientPool(rhi);
    this.#context = new GraphContext(rhi);
  }

  get stats(): GraphStats {
    return this.#stats;
  }

  get poolStats(): PoolStats {
    return this.#pool.stats;
  }

  /** The graph that was executed last. */
  get compiled(): CompiledGraph | undefined {
    return this.#compiled;
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
    const isSame = this.#compiled !== undefined && this.setup.declarations.equals(this.#compiledShape);
    if (!isSame) this.#compile();
    else if (this.#areImportsOther()) this.#resolve();
    const context = this.#context;
    for (const step of this.#steps) {
      const pass = this.#passOf(step);
      pass.prepare?.(context);
    }
  }

  /** Records the passes. @throws whatever a pass throws */
  execute(): void {
    const rhi = this.#rhi;
    const context = this.#context;
    let queue: QueueHint = QueueHint.graphics;
    for (const step of this.#steps) {
      const pass = this.#passOf(step);
      if (step.queue !== queue) {
        queue = step.queue;
        rhi.setQueue(queue);
      }
      for (const resource of step.firstUses) this.#acquire[resource]?.();
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
    this.#compiled = undefined;
    this.#steps = [];
    this.#taken = [];
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

  #compile(): void {
    const { declarations } = this.setup;
    const compiled = compileGraph(readShape(declarations));
    this.#compiled = compiled;
    this.#compiledShape.copy(declarations);
    for (const handle of this.#taken) this.#pool.giveBack(handle, this.#frame);
    this.#taken = compiled.allocations.map((allocation) => this.#pool.take(allocation));
    this.#steps = compiled.passes.map((pass, place) => ({
      pass,
      queue: QUEUES[pass.queue],
      renderPass: undefined,
      computePass: { label: pass.pass.name },
      firstUses: compiled.resources.flatMap((life) =>
        life?.resource.isImported && life.firstUse === place ? [life.resource.index] : [],
      ),
    }));
    this.#resolve();
    const { passes, shape, unsharedBytes, sharedBytes } = compiled;
    this.#stats = {
      passes: passes.length,
      culledPasses: shape.passes.length - passes.length,
      unsharedBytes,
      sharedBytes,
      compilations: this.#stats.compilations + 1,
    };
  }

  /** Per frame. */
  #areImportsOther(): boolean {
    const { count } = this.setup.resources;
    for (let resource = 0; resource < count; resource++) {
      const life = this.#compiled?.resources[resource];
      if (life?.resource.isImported && this.#imported[resource] !== this.#context.handles[resource])
        return true;
    }
    return false;
  }

  /** Finds what handles stand for, and describes the render passes with it. */
  #resolve(): void {
    const compiled = this.#compiled as CompiledGraph;
    const handles = compiled.resources.map((life, index) =>
      life?.allocation === undefined
        ? (this.#imported[index] ?? 0)
        : (this.#taken[life.allocation] as number),
    );
    this.#context.handles = handles;
    this.#context.version++;
    for (const step of this.#steps) {
      if (step.pass.pass.kind !== 'raster') continue;
      step.renderPass = describeRenderPass(
        compiled,
        step.pass.pass,
        ({ resource }) => handles[resource.index] as TextureHandle,
      );
    }
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
