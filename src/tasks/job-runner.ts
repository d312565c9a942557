/**
 * Gives queued jobs to whoever has nothing to do: through shared memory to the pool's workers, by message to one of them,
 * or to this thread where there are none.
 *
 *   TaskQueue ─┬─► SharedPool ─► slots and queues ─► whichever worker is first
 *              ├─► PoolWorker: one message, one answer       no shared memory, or what finds no place there
 *              └─► PageRunner
 */
import { FencepostError, StateError, ThreadError } from '../core/errors.js';
import { TimelineEvent } from '../core/event-ring.js';
import { CopiedMemories } from './copied-memories.js';
import { failureOf, thrownBy } from './failure.js';
import { callTask } from './fiber.js';
import { type Job, type JobRanges, type LoadedModule, orderOf } from './job.js';
import type { NamedThread } from './named/named-thread.js';
import { NamedThreads } from './named/named-threads.js';
import type { QueuedCall, ThreadName } from './named/thread-queues.js';
import { PageRunner } from './page-runner.js';
import { PageStarter } from './page-starter.js';
import type { DoneOrder, PoolWorker } from './pool-worker.js';
import { SharedPool } from './shared/shared-pool.js';
import { type StartedTally, tallyStarted } from './shared/started-counts.js';
import { canShare, sharedMemoryIn } from './shared-array.js';
import { takeRanges, turnsOfLoop } from './take-ranges.js';
import { applyChanges, changesOf, cloneArguments, unpackArguments } from './task-arguments.js';
import { TaskContext } from './task-context.js';
import { argumentsRefused, isRefused, loadFailed, resultRefused, untrackedError } from './task-errors.js';
import type { TaskFuture } from './task-future.js';
import type { TaskHost } from './task-host.js';
import type { StartOrder, TaskNotice, TaskOrder, WorkerNotice } from './task-messages.js';
import { findTask } from './task-module.js';
import { TaskQueue } from './task-queue.js';
import { addTold, taskNumberOf } from './task-rings.js';
import { totalOf, WORKER_SETS, type WorkerSet } from './task-sets.js';
import { ThreadLocals } from './thread-locals.js';
import { WorkerPool } from './worker-pool.js';

/** Starts a task for a task. */
export type StartFor = (order: StartOrder, args: unknown) => TaskFuture<unknown>;

export class JobRunner {
  readonly pool: WorkerPool;
  readonly threads: NamedThreads;
  /** Shared memory that a task may have left half-written. */
  readonly poisoned = new WeakSet<ArrayBufferLike>();
  readonly #host: TaskHost;
  readonly #startFor: StartFor;
  #shared: SharedPool | null;
  /** Of tasks that others have started in shared memory, when that was given up. */
  #startedAtEnd: StartedTally = { pending: 0, done: 0, failed: 0 };
  readonly #queues: Readonly<Record<WorkerSet, TaskQueue<Job>>> = {
    high: new TaskQueue(),
    normal: new TaskQueue(),
    background: new TaskQueue(),
  };
  readonly #copied = new CopiedMemories();
  /** Of this thread. */
  readonly #locals = new ThreadLocals();
  readonly #page: PageRunner;
  #isDisposed = false;

  constructor(host: TaskHost, startFor: StartFor) {
    this.#host = host;
    this.#startFor = startFor;
    this.#shared =
      canShare() && totalOf(host.sizes) > 0
        ? new SharedPool({
            ...host,
            onRoom: () => this.#pump(),
            onLost: (args) => this.poison(args),
          })
        : null;
    this.pool = new WorkerPool({
      ...host,
      onFree: () => this.#pump(),
      onStart: (worker) => {
        worker.events = host.rings?.open(worker.place) ?? null;
        this.#shared?.join(worker);
      },
      onEnd: (worker) => this.#leave(worker),
      taskOf: ({ place }) => this.#shared?.taskAt(place),
      onNotice: (worker, notice) => this.#hear(worker, notice),
      isBusy: () => (this.#shared?.size ?? 0) > 0 || (this.#shared?.queues.isBusy ?? false),
    });
    this.#page = new PageRunner(
      () => !this.#isDisposed && this.#nextHere() !== undefined,
      async () => this.#runHere(this.#nextHere()?.take() as Job, null),
      host.clock,
    );
    this.threads = new NamedThreads(host, (worker, notice) => this.#hear(worker, notice));
  }

  /** Workers that do nothing now, as far as this thread is told. */
  get idleCount(): number {
    return Math.max(0, this.pool.idleCount - (this.#shared?.size ?? 0));
  }

  /** The task that a worker runs, as far as this thread has given it. */
  taskOf(worker: PoolWorker): string | undefined {
    return worker.task?.name ?? this.#shared?.taskAt(worker.place);
  }

  /** Also one that another worker's task has started. */
  isRunning({ place }: PoolWorker): boolean {
    return this.#shared?.queues.runs(place) ?? false;
  }

  get sharedBytes(): number {
    return this.#shared?.queues.memory.words.byteLength ?? 0;
  }

  /** Tasks that others have started in shared memory. */
  get started(): StartedTally {
    return this.#shared ? tallyStarted(this.#shared.queues.memory) : this.#startedAtEnd;
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) this.#push(job);
    this.#pump();
  }

  readonly counterFor = (future: TaskFuture<unknown>): Pick<JobRanges, 'counter' | 'number'> =>
    this.#shared?.counterFor(future) ?? { counter: new Int32Array(new SharedArrayBuffer(4)), number: -1 };

  /** @returns when the workers have cleaned up */
  async dispose(reason: unknown): Promise<void> {
    this.#isDisposed = true;
    this.#shared?.dispose();
    this.threads.dispose();
    this.#locals.clear(this.#host.onError);
    await this.pool.dispose(reason);
    this.#startedAtEnd = this.started;
    this.#shared = null;
  }

  /** A thread has ended in the middle of a task with these arguments: what it was writing may be half-written. */
  readonly poison = (args: unknown): void => {
    for (const memory of sharedMemoryIn(args)) this.poisoned.add(memory);
  };

  #leave(worker: PoolWorker): void {
    this.#shared?.leave(worker);
    // What was queued goes on in another one.
    for (const set of WORKER_SETS) {
      if (!this.#isDisposed && (this.#shared?.sizeOf(set) ?? 0) > this.pool.sizeOf(set)) this.pool.grow(set);
    }
  }

  #pump(): void {
    if (this.#isDisposed) return;
    for (const set of WORKER_SETS) this.#pumpSet(set);
    if (this.pool.isUsable) return;
    for (const job of this.#shared?.takeBack() ?? []) this.#push(job);
    this.#page.wake();
  }

  #pumpSet(set: WorkerSet): void {
    const queue = this.#queues[set];
    for (let job = queue.peek(); job && this.pool.isUsable; job = queue.peek()) {
      if (this.#shared?.publish(job)) {
        queue.take();
        job.future.advance('queued');
        this.pool.touch();
        if (this.#shared.sizeOf(set) > this.pool.sizeOf(set)) this.pool.grow(set);
        continue;
      }
      const worker = this.pool.take(set);
      if (!worker) break;
      void this.#doThere(queue.take() as Job, worker);
    }
  }

  #push(job: Job, priority = job.placement.priority): void {
    if (job.placement.thread !== undefined) {
      this.#send(job, job.placement.thread);
      return;
    }
    this.#queues[job.placement.set].push(job, priority);
  }

  /** What this thread runs next, where there are no workers. */
  #nextHere(): TaskQueue<Job> | undefined {
    return WORKER_SETS.map((set) => this.#queues[set]).find((queue) => queue.peek() !== undefined);
  }

  async #doThere(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future } = job;
    const endWatch = this.pool.watch(worker, future);
    future.advance('running');
    const originals: ArrayBuffer[] = [];
    let hasEnded = false;
    try {
      const loaded = this.#loadThere(module, worker);
      const order = orderOf(job, originals, (memory) => this.#copied.numberOf(memory));
      const indices = 'begin' in order ? order.end - order.begin : 0;
      const number = worker.nextOrder();
      const sent = { ...order, module: module.number, name, set: job.placement.set };
      const ordered = sendOrder(worker, sent, number, future, ({ changes, ran }) => {
        hasEnded = true;
        if (worker.events && ran) addTold(worker.events, ran, taskNumberOf(module, name), indices);
        applyChanges(originals, changes);
      });
      this.#shared?.announceMail(worker);
      ordered.catch(() => {}); // the reason may be that the module could not be loaded
      // Ranges of a counter that is shared end by that; others are called off between two calls.
      if (order.kind === 'share' && order.packed) {
        future.watch(
          () => true,
          () => hasEnded || worker.tell({ kind: 'retract', number }),
        );
      }
      await loaded;
      const { result, milliseconds } = await ordered;
      job.onDone(result, milliseconds);
    } catch (error) {
      if (error instanceof ThreadError && !worker.hasAnswered) this.#push(job, 'high');
      else {
        if (isDeath(error)) this.poison(job.args);
        future.fail(error);
      }
    } finally {
      hasEnded = true;
      endWatch();
      this.pool.release(worker);
    }
  }

  /** To the queue of a named thread. */
  #send(job: Job, name: ThreadName): void {
    const opening = this.threads.whenOpen(name);
    if (opening) {
      void opening.then(() => job.isOver || this.#send(job, name));
      return;
    }
    const worker = this.threads.find(name);
    if (worker) {
      void this.#doInQueue(job, worker);
      return;
    }
    const { placement, future } = job;
    const call: QueuedCall = {
      priority: placement.priority,
      get isOver() {
        return job.isOver;
      },
      run: () => this.#runHere(job, this.threads.gameThread),
      abandon: (reason) => void future.cancel(reason),
    };
    this.threads.game.push(call, placement.queue ?? 'main');
  }

  async #doInQueue(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future, placement } = job;
    const number = worker.nextOrder();
    const originals: ArrayBuffer[] = [];
    let hasBegun = false;
    worker.begun.set(number, () => {
      hasBegun = true;
      worker.task = future;
      future.advance('running');
    });
    try {
      const { queue = 'main', priority, set } = placement;
      const loaded = this.#loadThere(module, worker);
      const order = orderOf(job, originals, (memory) => this.#copied.numberOf(memory));
      const sent = { ...order, module: module.number, name, set, queue, priority } as TaskOrder;
      const ordered = sendOrder(worker, sent, number, future, ({ changes }) =>
        applyChanges(originals, changes),
      );
      ordered.catch(() => {}); // the reason may be that the module could not be loaded
      future.watch(
        () => hasBegun,
        () => worker.tell({ kind: 'retract', number }),
      );
      await loaded;
      const { result } = await ordered;
      job.onDone(result);
    } catch (error) {
      const code = error instanceof FencepostError ? error.code : '';
      const hasEnded = code === 'task-thread-ended';
      if (hasEnded && hasBegun) this.poison(job.args);
      // Nobody would take back an order for what was cancelled meanwhile.
      if (hasEnded && !hasBegun && job.isOver) return;
      if (hasEnded && !hasBegun && !this.#isDisposed) this.#push(job);
      else if (code === 'thread-shut-down') future.cancel(error);
      else future.fail(error);
    }
  }

  #loadThere({ number, url, names }: LoadedModule, worker: PoolWorker): Promise<unknown> {
    const known = worker.modules.get(number);
    if (known) return known;
    worker.tell({ kind: 'module', number, url, names });
    const loading = worker.order({ kind: 'load', module: number }).catch((cause) => {
      worker.modules.delete(number);
      const isTold = cause instanceof ThreadError || cause?.code === 'task-module-differs';
      throw isTold ? cause : loadFailed(url, worker.name, cause);
    });
    loading.catch(() => {}); // whoever ordered it may not wait for it any more
    worker.modules.set(number, loading);
    return loading;
  }

  #hear(worker: PoolWorker, notice: WorkerNotice): void {
    // Also while it is disposed of.
    if (notice.kind === 'exited') worker.onExited?.();
    if (notice.kind === 'untracked') this.#host.onError(untrackedError(notice.task, thrownBy(notice)));
    if (this.#isDisposed) return;
    switch (notice.kind) {
      case 'alive':
        void this.#host.whenReleased?.(notice.lock).then(() => worker.vanish());
        return;
      case 'begun':
        worker.begun.get(notice.number)?.();
        return;
      case 'ended':
        this.#shared?.collect();
        return;
      case 'outcome':
        this.#shared?.hearOutcome(notice);
        return;
      case 'memory':
        this.#shared?.hearMemory(worker, notice);
        return;
      case 'grow':
        this.pool.grow(notice.set);
        return;
      case 'locals':
        worker.hasLocals = true;
        return;
      case 'progress':
        if (notice.slot === null) worker.task?.setProgress(notice.fraction);
        else this.#shared?.setProgress(notice.slot, notice.fraction);
        return;
      case 'start':
        void this.#startForTask(worker, notice);
    }
  }

  /** A task of a worker has started another one, by message. */
  async #startForTask(worker: PoolWorker, notice: Extract<WorkerNotice, { kind: 'start' }>): Promise<void> {
    const { started, packed, args } = notice;
    const copies = packed?.copies ?? [];
    const before = copies.map((copy) => copy.slice(0));
    const tell = (answer: Extract<TaskNotice, { kind: 'startEnded' }>['answer']): void => {
      const changes = changesOf(copies, before);
      // What it has changed of the page's memory is changed there now, and not when the task that started it ends.
      for (const [index, source] of (packed?.sources ?? []).entries()) {
        const memory = this.#copied.find(source);
        if (memory)
          applyChanges(
            [memory],
            changes.filter(({ buffer }) => buffer === index).map((each) => ({ ...each, buffer: 0 })),
          );
      }
      if (!notice.isTracked || this.#isDisposed) return;
      worker.tell({ kind: 'startEnded', started, changes, answer });
      this.#shared?.announceMail(worker);
    };
    if (notice.isTracked) worker.awaited++;
    try {
      const future = this.#startFor(notice, packed ? unpackArguments(packed) : args);
      const result = await future;
      tell({ kind: 'done', result, changes: [] });
    } catch (thrown) {
      tell({ kind: 'failed', ...failureOf(thrown), changes: [] });
    }
    if (notice.isTracked) worker.awaited--;
  }

  /** A job on this thread. @param thread that it runs by the name of */
  #runHere(job: Job, thread: NamedThread | null): void {
    const { module, name, args, begin, end, ranges, future } = job;
    future.advance('running');
    try {
      const task = findTask(module.tasks, name, module.url) as (...call: unknown[]) => unknown;
      const context = new TaskContext(
        name,
        new PageStarter(module, future, job.placement.set, this.#startFor),
        this.#locals,
        thread,
      );
      const given = argumentsFor(future, args);
      const began = performance.now();
      const call = (...of: [unknown, number, number]): unknown => callTask(task, ...of, context);
      const endIfOver = (): void => {
        if (job.isOver) throw new StateError('task-over', 'Nobody waits for the rest of the range.');
      };
      let called: unknown;
      let milliseconds = 0;
      try {
        called = ranges ? takeRanges(call, given, ranges, turnsOfLoop(endIfOver)) : call(given, begin, end);
      } finally {
        milliseconds = performance.now() - began;
        const number = taskNumberOf(module, name);
        const indices = ranges ? 0 : end - begin;
        this.#host.rings?.own.add(TimelineEvent.task, number, began, began + milliseconds, indices);
      }
      const isAwaited = typeof (called as PromiseLike<unknown> | null | undefined)?.then === 'function';
      const until = isAwaited ? undefined : context.finish();
      // Others go on meanwhile: it may wait for tasks that it has started.
      if (isAwaited || until) void this.#awaitHere(job, called, context, until);
      else job.onDone(cloneResult(future, called), milliseconds);
    } catch (error) {
      future.fail(error);
    }
  }

  async #awaitHere(
    job: Job,
    called: unknown,
    context: TaskContext,
    until: Promise<unknown> | undefined,
  ): Promise<void> {
    try {
      const result = await called;
      await (until ?? context.finish());
      job.onDone(cloneResult(job.future, result));
    } catch (error) {
      job.future.fail(error);
    }
  }
}

const isDeath = (error: unknown): boolean =>
  error instanceof ThreadError && error.code === 'task-worker-died';

/** @param onEnd told what the task has written and when it ran, whether it has succeeded or not @throws TaskError `task-arguments-refused` */
function sendOrder(
  worker: PoolWorker,
  order: TaskOrder,
  number: number,
  future: TaskFuture<unknown>,
  onEnd: (end: Pick<DoneOrder, 'changes' | 'ran'>) => void,
): Promise<DoneOrder> {
  try {
    return worker.order(order, number, onEnd);
  } catch (error) {
    throw isRefused(error) ? argumentsRefused(future, error) : error;
  }
}

/** Of a task on this thread. @throws TaskError `task-arguments-refused` */
function argumentsFor(future: TaskFuture<unknown>, args: unknown): unknown {
  try {
    return cloneArguments(args);
  } catch (error) {
    throw isRefused(error) ? argumentsRefused(future, error) : error;
  }
}

function cloneResult({ name }: TaskFuture<unknown>, result: unknown): unknown {
  try {
    return structuredClone(result);
  } catch (cause) {
    throw resultRefused(`the task ${name}`, cause);
  }
}
