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

/** The objects that passes of modules use. */
export interface ModulePassHost {
  readonly graph: FrameGraph;
  readonly rhi: ImmediateContext;
  readonly checks: PassChecks;
  /** Runs code of a module in the role of the render thread. */
  enter(action: () => void): void;
}

interface Failure {
  readonly call: string;
  readonly error: unknown;
}

/**
 * A pass of a module in the graph. Its commands are checked. An error does not end the frame, and the removal of the
 * pass destroys the resources that it has created.
 */
export class ModulePass implements GraphPass {
  readonly isChecked = true;
  readonly name: string;
  readonly kind: GraphPassKind;
  readonly queue: GraphQueue;
  /** The error that the pass threw. Later frames omit the pass. */
  failure: Failure | undefined;
  /** Whether the list draws the frame again. */
  isRepeated = false;
  readonly #host: ModulePassHost;
  readonly #onFailure: (pass: ModulePass) => void;
  readonly #checked: CheckedPass;
  readonly #created: OwnedHandles;
  #builder!: PassBuilder;
  #context!: PassContext;

  /**
   * @param suffix suffix of the pass's resource names, which identifies the view
   * @param onFailure called when the pass throws
   * @throws GraphError `graph-pass-invalid`, `graph-queue-refused`
   */
  constructor(host: ModulePassHost, pass: RenderPass, suffix: string, onFailure: (pass: ModulePass) => void) {
    this.#host = host;
    this.#onFailure = onFailure;
    this.#created = new OwnedHandles(host.rhi);
    const create = (action: () => void): void => this.#run('prepare', 'copy', action);
    this.#checked = new CheckedPass(host.graph, host.rhi, pass, suffix, create);
    this.name = this.#checked.name;
    this.kind = this.#checked.kind;
    this.queue = this.#checked.queue;
  }

  /**
   * Whether the pass is skipped. A pass that changes only lasting resources runs once per frame, so that simulations do
   * not run ahead. A pass that creates resources of a list runs in each list, because they begin empty.
   */
  get isIdle(): boolean {
    return this.isRepeated && !this.#checked.createsResources;
  }

  /** Runs the pass's set-up. @throws the pass's error; the frame then omits the pass */
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

  /** Destroys the pass's resources. Called in a frame, outside passes. */
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
