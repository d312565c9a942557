/**
 * Serves tasks on a worker: carries out the page's orders, and answers each order once. With shared memory, the worker
 * also takes jobs from queues in that memory (`shared-memory/worker-loop.ts`).
 *
 *   load ─► import(url) ─► tasks by name          run ─► task(args, begin, end) ─► done, with its changes
 *                                                 share ─► ranges from the counter until none is left ─► done
 */
import { EventRing } from '../../core/events/event-ring.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import { HeldLocks, setLockHolder, setMayBlock } from '../blocking/lock-holder.js';
import { ThreadLocals } from '../execution/task-context.js';
import { localThread, obeyRequest } from '../named-threads/thread-queues.js';
import { type ServedRunnable, serveRunnable } from '../runnable/serve-runnable.js';
import { SharedMemories } from '../shared-memory/argument-codec.js';
import { OwnedJobs } from '../shared-memory/owned-jobs.js';
import { SharedQueues } from '../shared-memory/shared-queues.js';
import { SpareJobs } from '../shared-memory/spare-jobs.js';
import { TaskMemory } from '../shared-memory/task-memory.js';
import { type OpenResidentLoop, WorkerLoop } from '../shared-memory/worker-loop.js';
import { failureOf } from '../task-errors.js';
import type { TaskAnswer, TaskNotice, TaskOrder, WorkerNotice } from '../task-messages.js';
import { type ImportModule, WorkerModules } from '../task-module.js';
import { StartsByMessage } from './message-starter.js';
import { OrderAnswers, OrderRunner } from './order-runner.js';
import { type QueuedOrder, QueuedOrders, type ServedThread } from './queued-orders.js';

export interface TaskPort {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  onmessageerror?: ((event: MessageEvent) => void) | null;
  /** Starts delivery on a MessagePort. */
  start?(): void;
  /** Handles uncaught errors, on a worker's global scope. */
  onerror?: ((...error: never) => unknown) | null;
}

type NumberedOrder = TaskOrder & { readonly number: number };

/**
 * Serves tasks on this thread.
 * @param mayBlock whether this thread may sleep in `Atomics.wait`
 * @param whenReady messages are kept until this promise resolves
 * @param named name and queues of a named thread; `null` on a pool worker
 * @param openResident opens this worker's part in a loop of another thread; `null` on a thread that takes no part
 * @returns a function that ends serving, for tests whose workers are not threads
 */
export function serveTasks(
  port: TaskPort,
  importModule: ImportModule,
  mayBlock: boolean,
  whenReady: Promise<void> | null = null,
  named: ServedThread | null = null,
  openResident: OpenResidentLoop | null = null,
): () => void {
  setMayBlock(mayBlock);
  const post = (message: unknown): void => port.postMessage(message);
  const server = new TaskServer(post, importModule, mayBlock, named, openResident);
  let early: MessageEvent[] | null = whenReady ? [] : null;
  port.addEventListener('message', (event) => (early ? early.push(event) : server.hear(event.data)));
  hearLosses(port, 'orders', () => port.postMessage({ kind: 'lost' } satisfies WorkerNotice));
  port.start?.();
  void whenReady?.then(() => {
    const kept = early ?? [];
    early = null;
    for (const event of kept) server.hear(event.data);
  });
  // Begin no more jobs, because the page will end this thread, and the jobs would be lost.
  port.onerror = () => server.end();
  return () => server.end();
}

class TaskServer {
  readonly #post: (message: unknown) => void;
  readonly #importModule: ImportModule;
  readonly #mayBlock: boolean;
  readonly #named: ServedThread | null;
  readonly #openResident: OpenResidentLoop | null;
  readonly #modules: WorkerModules;
  readonly #starts: StartsByMessage;
  readonly #locals: ThreadLocals;
  readonly #answers: OrderAnswers;
  readonly #runner: OrderRunner;
  /** Queued orders of a named thread; `null` on a pool worker. */
  readonly #queued: QueuedOrders | null;
  /** Objects for jobs in shared memory; `null` before `join`. */
  #shared: {
    readonly loop: WorkerLoop;
    readonly owned: OwnedJobs;
    readonly memories: SharedMemories;
    readonly thread: number;
    readonly events: ArrayBufferLike | null;
  } | null = null;
  #runnable: ServedRunnable | undefined;
  /** Number of orders that have begun and are not answered. */
  #orders = 0;
  /**
   * Resolves when the last received order has run up to its first promise; with `holdsWorker`, when it has ended.
   */
  #lastBegun: Promise<void> = Promise.resolve();

  constructor(
    post: (message: unknown) => void,
    importModule: ImportModule,
    mayBlock: boolean,
    named: ServedThread | null,
    openResident: OpenResidentLoop | null,
  ) {
    this.#post = post;
    this.#openResident = openResident;
    this.#importModule = importModule;
    this.#mayBlock = mayBlock;
    this.#named = named;
    this.#modules = new WorkerModules(importModule);
    this.#starts = new StartsByMessage(post);
    this.#locals = new ThreadLocals(() => this.#tell({ kind: 'locals' }));
    this.#answers = new OrderAnswers(post);
    const thread = named && localThread(named.name, named.queues);
    this.#runner = new OrderRunner(this.#starts, this.#locals, thread, named?.events);
    const parts = { modules: this.#modules, runner: this.#runner, answers: this.#answers, post };
    this.#queued = named && new QueuedOrders({ ...parts, queues: named.queues });
  }

  hear(message: NumberedOrder | TaskNotice): void {
    switch (message.kind) {
      case 'load':
      case 'share':
        void this.#obey(message);
        return;
      case 'run':
        if (this.#queued && message.queue) this.#queued.receive(message as QueuedOrder);
        else void this.#obey(message);
        return;
      case 'join':
        this.#join(message);
        return;
      case 'module':
        this.#modules.add(message);
        return;
      case 'memory':
        this.#shared?.memories.hear(message);
        this.#shared?.loop.readAgain();
        return;
      case 'resident':
        this.#reside(message.memory);
        return;
      case 'residentMessage':
        this.#shared?.loop.hearResident(message.message);
        return;
      case 'lost':
        for (const memory of this.#shared?.memories.own() ?? []) this.#tell(memory);
        return;
      case 'outcome':
        this.#shared?.owned.hear(message);
        return;
      case 'fetched':
        void this.#lastBegun.then(() => this.#shared?.loop.fetched());
        return;
      case 'startEnded':
        this.#starts.hear(message);
        return;
      case 'ask':
        this.#tell({ kind: 'answer' });
        return;
      case 'exit':
        this.#exit();
        return;
      case 'runnable':
        this.#runnable = serveRunnable(message, this.#importModule, this.#post);
        return;
      case 'stop':
      case 'suspend':
      case 'resume':
        this.#runnable?.hear(message);
        return;
      case 'retract':
        this.#runner.retract(message.number);
        this.#queued?.retract(message.number);
        return;
      case 'return':
      case 'shutDown':
        if (this.#named) obeyRequest(this.#named.queues, message);
    }
  }

  /** Makes the thread take no more jobs. The page queues jobs again that the thread has taken and not begun. */
  end(): void {
    this.#shared?.loop.end();
  }

  async #obey(order: NumberedOrder): Promise<void> {
    this.#orders++;
    try {
      this.#answers.give(await this.#carryOut(order), order);
    } catch (thrown) {
      this.#answers.giveFailure(thrown, order);
    }
    this.#runner.forget(order.number);
    this.#orders--;
  }

  async #carryOut(order: NumberedOrder): Promise<TaskAnswer> {
    let begun = (): void => {};
    this.#lastBegun = new Promise((resolve) => {
      begun = resolve;
    });
    let answer: TaskAnswer | Promise<TaskAnswer> | undefined;
    try {
      const module = await this.#modules.load(order.module);
      if (order.kind === 'load') return { kind: 'done', result: undefined, changes: [] };
      // Don't await the task here: it has begun when the call returns.
      answer = this.#runner.run(order, module);
      return answer;
    } finally {
      // A task that holds its worker counts as begun only when it has ended, so that the worker claims no other job
      // until then.
      if (order.kind === 'run' && order.holdsWorker && answer instanceof Promise)
        void answer.then(begun, begun);
      else begun();
    }
  }

  #join(notice: Extract<TaskNotice, { kind: 'join' }>): void {
    const { buffer, shape, thread, identity, incarnation, order, sizes } = notice;
    const memory = new TaskMemory(shape, buffer);
    const queues = new SharedQueues(memory, thread);
    const memories = new SharedMemories(thread, this.#post, incarnation);
    setLockHolder(
      new HeldLocks(memory.words, memory.heldAt(thread), identity, (each) => memories.numberOf(each)),
    );
    const owned = new OwnedJobs(queues, memories);
    const events = notice.events && new EventRing(notice.events);
    const loop = new WorkerLoop({
      ...{ queues, memories, owned, order, sizes, events },
      spare: new SpareJobs(() => queues.wake(thread)),
      modules: this.#modules,
      locals: this.#locals,
      post: this.#post,
      startByMessage: (started, future) => this.#starts.start(started, future),
      mayBlock: this.#mayBlock,
      isBusyElsewhere: () => this.#orders > 0,
    });
    this.#runner.join(loop, events);
    this.#shared = { loop, owned, memories, thread, events: notice.events };
    void loop.serve();
  }

  #reside(memory: SharedArrayBuffer | null): void {
    if (!this.#shared) return;
    const { loop, thread, events } = this.#shared;
    loop.reside(memory && (this.#openResident?.(memory, thread, events) ?? null));
  }

  #exit(): void {
    this.end();
    this.#queued?.leave();
    this.#locals.clear((thrown) => this.#tell({ kind: 'untracked', ...failureOf(thrown) }));
    this.#tell({ kind: 'exited' });
  }

  #tell(notice: WorkerNotice): void {
    this.#post(notice);
  }
}
