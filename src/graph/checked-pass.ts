import { GraphError } from '../core/errors.js';
import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { passKinds, passQueues } from './declarations.js';
import type { FrameGraph } from './frame-graph.js';
import type {
  GraphBuffer,
  GraphPass,
  GraphPassKind,
  GraphQueue,
  GraphTexture,
  PassBuilder,
  PassContext,
  UserPassBuilder,
} from './graph-pass.js';
import { LastingBuilder } from './lasting-builder.js';
import { LastingResources } from './lasting-resources.js';

/** A pass as users write it. */
export interface UserPass extends Omit<GraphPass, 'setup' | 'isIdle' | 'isChecked'> {
  setup(builder: UserPassBuilder): void;
}

/**
 * A checked pass: a user's pass, or also an engine's pass while `pass-checker.ts` checks all passes. Each call that the
 * pass makes is checked at once, so that the stack of an error leads to the call. Declarations are checked
 * against all earlier declarations, and uses against the pass's own declarations.
 *
 *   graph ── setup(builder) ──► CheckedPass ── setup(checked builder) ──► the wrapped pass
 */
export class CheckedPass implements GraphPass {
  readonly isChecked = true;
  readonly name: string;
  readonly kind: GraphPassKind;
  readonly queue: GraphQueue;
  readonly #pass: UserPass & Pick<GraphPass, 'isIdle'>;
  readonly #builder: LastingBuilder;
  readonly #context: CheckedContext;

  /**
   * @param suffix appended to the names of the pass's resources, to distinguish them from the resources of the same
   *   pass in another view
   * @param create runs the creation of resources that outlive the frame
   * @throws GraphError `graph-pass-invalid`, `graph-queue-refused`
   */
  constructor(
    graph: FrameGraph,
    rhi: ImmediateContext,
    pass: UserPass & Pick<GraphPass, 'isIdle'>,
    suffix = '',
    create?: (action: () => void) => void,
  ) {
    checkPass(pass);
    this.#pass = pass;
    this.name = pass.name;
    this.kind = pass.kind;
    this.queue = pass.queue ?? 'automatic';
    this.#builder = new LastingBuilder(
      graph,
      new LastingResources(rhi, create),
      pass.name,
      pass.kind,
      suffix,
    );
    this.#context = new CheckedContext(this.#builder);
  }

  get isIdle(): boolean {
    return this.#pass.isIdle ?? false;
  }

  /** Whether the last `setup` has created a resource that lasts for one frame. */
  get createsResources(): boolean {
    return this.#builder.hasCreated;
  }

  /** Runs the pass's `setup` with a checked builder. @throws any error of the pass, and GraphError */
  setup(_builder: PassBuilder): void {
    const builder = this.#builder;
    builder.begin();
    try {
      this.#pass.setup(builder);
      builder.checkAttachments();
    } finally {
      builder.end();
    }
  }

  /** @throws any error of the pass, and GraphError */
  prepare(context: PassContext): void {
    if (this.#pass.prepare) this.#run(context, this.#prepare);
  }

  /** @throws any error of the pass, and GraphError */
  execute(context: PassContext): void {
    this.#run(context, this.#execute);
  }

  readonly #prepare = (context: PassContext): void => this.#pass.prepare?.(context);
  readonly #execute = (context: PassContext): void => this.#pass.execute(context);

  #run(context: PassContext, action: (context: PassContext) => void): void {
    this.#context.graph = context;
    try {
      action(this.#context);
    } finally {
      this.#context.graph = undefined;
    }
  }
}

/** The context of one pass. While the pass runs, it resolves the handles that the pass has declared. */
class CheckedContext implements PassContext {
  /** The graph's context while the pass runs; undefined otherwise. */
  graph: PassContext | undefined;
  readonly #builder: LastingBuilder;

  constructor(builder: LastingBuilder) {
    this.#builder = builder;
  }

  get rhi(): ImmediateContext {
    return this.#running.rhi;
  }

  get version(): number {
    return this.#running.version;
  }

  // Arrow functions, so that passes may destructure the context.
  readonly texture = (handle: GraphTexture): TextureHandle => {
    const graph = this.#running;
    this.#builder.checkDeclared(handle);
    return graph.texture(handle);
  };

  readonly buffer = (handle: GraphBuffer): BufferHandle => {
    const graph = this.#running;
    this.#builder.checkDeclared(handle);
    return graph.buffer(handle);
  };

  get #running(): PassContext {
    if (this.graph) return this.graph;
    throw new GraphError(
      'graph-outside-execute',
      'The context of a pass was used outside prepare() and execute(): textures, buffers and commands belong there.',
    );
  }
}

/** The queues on which passes of each kind can run. */
const queuesOf = {
  raster: ['automatic', 'graphics'],
  compute: ['automatic', 'graphics', 'compute'],
  copy: passQueues,
} as const satisfies Record<GraphPassKind, readonly GraphQueue[]>;

function checkPass(pass: UserPass): void {
  const { name, kind, queue = 'automatic', setup, prepare, execute } = pass ?? {};
  const isNamed = typeof name === 'string' && name !== '';
  const isCallable =
    typeof setup === 'function' &&
    typeof execute === 'function' &&
    (prepare === undefined || typeof prepare === 'function');
  if (!isNamed || !isCallable || !passKinds.includes(kind)) {
    throw new GraphError(
      'graph-pass-invalid',
      `A pass of the frame graph needs a name, a kind (${passKinds.join(', ')}) and the functions setup and execute. The function prepare is optional. Got the name ${JSON.stringify(name)}, the kind ${JSON.stringify(kind)}, setup as ${typeof setup}, execute as ${typeof execute}, prepare as ${typeof prepare}.`,
    );
  }
  const queues: readonly GraphQueue[] = queuesOf[kind];
  if (queues.includes(queue)) return;
  throw new GraphError(
    'graph-queue-refused',
    `The ${kind} pass "${name}" can't run on the queue ${JSON.stringify(queue)}. It can run on: ${queues.join(', ')}.`,
  );
}
