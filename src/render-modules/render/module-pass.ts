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
import type { RenderPass } from '../render-graph-api.js';
import { OwnedHandles } from './owned-handles.js';
import type { PassChecks } from './pass-recorder.js';

/** What passes of modules are run with. */
export interface ModulePassHost {
  readonly graph: FrameGraph;
  readonly rhi: ImmediateContext;
  readonly checks: PassChecks;
  /** Runs what a module does, as the render thread. */
  enter(action: () => void): void;
}

interface Failure {
  readonly call: string;
  readonly error: unknown;
}

/**
 * A pass of a module in the graph: it runs under checks, one that throws doesn't take the frame with it, and what it has
 * created goes with it.
 */
export class ModulePass implements GraphPass {
  readonly name: string;
  readonly kind: GraphPassKind;
  readonly queue: GraphQueue;
  /** What it threw: it is left out of frames from then on. */
  failure: Failure | undefined;
  readonly #host: ModulePassHost;
  readonly #onFailure: (pass: ModulePass) => void;
  readonly #checked: CheckedPass;
  readonly #created: OwnedHandles;
  #builder!: PassBuilder;
  #context!: PassContext;

  /**
   * @param suffix of the names of its resources: a view's
   * @param onFailure the pass has thrown, for the first time
   * @throws GraphError `graph-pass-invalid`, `graph-queue-refused`
   */
  constructor(host: ModulePassHost, pass: RenderPass, suffix: string, onFailure: (pass: ModulePass) => void) {
    this.#host = host;
    this.#onFailure = onFailure;
    this.#created = new OwnedHandles(host.rhi);
    this.#checked = new CheckedPass(host.graph, host.rhi, pass, suffix);
    this.name = this.#checked.name;
    this.kind = this.#checked.kind;
    this.queue = this.#checked.queue;
  }

  /** @throws whatever the pass throws: then it is no part of the frame */
  setup(builder: PassBuilder): void {
    this.#builder = builder;
    this.#run('setup', 'copy', this.#setup);
    if (this.failure) throw this.failure.error;
  }

  prepare(context: PassContext): void {
    this.#context = context;
    this.#run('prepare', 'copy', this.#prepare);
  }

  execute(context: PassContext): void {
    this.#context = context;
    if (!this.failure) this.#run('execute', this.kind, this.#execute);
  }

  /** In a frame, outside passes. */
  dispose(): void {
    this.#created.destroyAll();
  }

  readonly #setup = (): void => this.#checked.setup(this.#builder);
  readonly #prepare = (): void => this.#checked.prepare(this.#context);
  readonly #execute = (): void => this.#checked.execute(this.#context);

  #run(call: string, kind: GraphPassKind, action: () => void): void {
    const { rhi, checks } = this.#host;
    checks.begin(this.name, call, kind);
    const before = rhi.checks;
    rhi.checks = checks;
    this.#created.begin();
    try {
      this.#host.enter(action);
    } catch (error) {
      this.failure = { call, error };
      this.#onFailure(this);
    } finally {
      this.#created.end();
      rhi.checks = before;
    }
  }
}
