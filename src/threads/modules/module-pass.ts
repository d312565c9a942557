import { CheckedPass } from '../../graph/checked-pass.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphPass,
  GraphPassKind,
  GraphQueue,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassChecks } from './pass-recorder.js';
import type { RenderPass } from './render-graph-api.js';

/** What passes of modules are run with. */
export interface ModulePassHost {
  readonly graph: FrameGraph;
  readonly rhi: ImmediateContext;
  readonly checks: PassChecks;
  /** Runs what a module does, as the render thread. */
  enter(action: () => void): void;
  /** A pass has thrown, for the first time. */
  failed(pass: ModulePass): void;
}

interface Failure {
  readonly call: string;
  readonly error: unknown;
}

/** A pass of a module in the graph: it runs under checks, and one that throws doesn't take the frame with it. */
export class ModulePass implements GraphPass {
  readonly name: string;
  readonly kind: GraphPassKind;
  readonly queue: GraphQueue;
  /** What it threw: it is left out of frames from then on. */
  failure: Failure | undefined;
  readonly #host: ModulePassHost;
  readonly #pass: RenderPass;
  readonly #checked: CheckedPass;
  #builder!: PassBuilder;
  #context!: PassContext;

  /** @throws GraphError `graph-pass-invalid`, `graph-queue-refused` */
  constructor(host: ModulePassHost, pass: RenderPass) {
    this.#host = host;
    this.#pass = pass;
    this.#checked = new CheckedPass(host.graph, host.rhi, pass);
    this.name = this.#checked.name;
    this.kind = this.#checked.kind;
    this.queue = this.#checked.queue;
  }

  /** @throws whatever the pass throws: then it is no part of the frame */
  setup(builder: PassBuilder): void {
    this.#builder = builder;
    this.#runInFrame('setup', 'copy', this.#setup);
    if (this.failure) throw this.failure.error;
  }

  prepare(context: PassContext): void {
    this.#context = context;
    this.#runInFrame('prepare', 'copy', this.#prepare);
  }

  execute(context: PassContext): void {
    this.#context = context;
    if (!this.failure) this.#runInFrame('execute', this.kind, this.#execute);
  }

  /** In a frame, outside passes. @returns what it threw */
  dispose(): Failure | undefined {
    const failure = this.#run('dispose', 'copy', this.#dispose);
    this.#checked.dispose();
    return failure;
  }

  readonly #setup = (): void => this.#checked.setup(this.#builder);
  readonly #prepare = (): void => this.#checked.prepare(this.#context);
  readonly #execute = (): void => this.#checked.execute(this.#context);
  readonly #dispose = (): void => this.#pass.dispose?.(this.#host.rhi);

  #runInFrame(call: string, kind: GraphPassKind, action: () => void): void {
    this.failure = this.#run(call, kind, action);
    if (this.failure) this.#host.failed(this);
  }

  /** @returns what it threw */
  #run(call: string, kind: GraphPassKind, action: () => void): Failure | undefined {
    const { rhi, checks } = this.#host;
    checks.begin(this.name, call, kind);
    const before = rhi.checks;
    rhi.checks = checks;
    try {
      this.#host.enter(action);
      return undefined;
    } catch (error) {
      return { call, error };
    } finally {
      rhi.checks = before;
    }
  }
}
