/**
 * Gives queued jobs to idle threads. Jobs reach all workers of the pool through shared memory, or a single worker by
 * message. Without workers, they run on this thread.
 *
 *   TaskQueue ─┬─► SharedPool ─┬─► slots and queues ──────────────────► the first free worker
 *              │               └─► tickets, if a job does not fit ────► the first free worker fetches the order ─┐
 *              ├─► OrderedJobs: one message, one answer ◄─────────────────── no shared memory ───────────────────┘
 *              └─► PageJobs
 */

import { systemClock } from '../../sync/deadline.js';
import { canShare, sharedMemoryIn } from '../arguments/shared-array.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { Job, JobRanges } from '../job.js';
import type { QueuedCall, ThreadName } from '../named-threads/thread-queues.js';
import { isAlike, mergedJob, mostMerged } from '../shared-memory/merged-jobs.js';
import { type StartedTally, tallyStarted } from '../shared-memory/shared-counters.js';
import { SharedPool } from '../shared-memory/shared-pool.js';
import type { TaskMemory } from '../shared-memory/task-memory.js';
import type { ResidentLoopSource } from '../shared-memory/worker-loop.js';
import { thrownBy, untrackedError } from '../task-errors.js';
import type { WorkerNotice } from '../task-messages.js';
import { SliceRunner, TaskQueue } from '../task-queue.js';
import { servesHigh, totalOf, WORKER_SETS, type WorkerSet } from '../task-sets.js';
import { NamedThreads } from './named-threads.js';
import { OrderedJobs } from './ordered-jobs.js';
import { PageJobs, type StartFor, StartsForWorkers } from './page-jobs.js';
import type { PoolWorker } from './pool-worker.js';
import type { TaskHost } from './task-host.js';
import { WorkerPool } from './worker-pool.js';

/** Time after `terminate` in which browsers end a worker, with a reserve, in milliseconds. */
const TERMINATION = 10_000;
/** Shortest life, in milliseconds, after which a dead worker of a resident loop is replaced. */
const SHORTEST_LIFE = 1000;

export class JobRunner {
  readonly pool: WorkerPool;
  readonly threads: NamedThreads;
  /** Shared memory that a killed task may have left half-written. */
  readonly poisoned = new WeakSet<ArrayBufferLike>();
  readonly #host: TaskHost;
  #shared: SharedPool | null;
  /** Counts of tasks that other tasks had started in shared memory, at the end of the system. */
  #startedAtEnd: StartedTally = { pending: 0, done: 0, failed: 0 };
  readonly #queues: Readonly<Record<WorkerSet, TaskQueue<Job>>> = {
    high: new TaskQueue(),
    normal: new TaskQueue(),
    background: new TaskQueue(),
  };
  readonly #page: SliceRunner;
  readonly #pageJobs: PageJobs;
  readonly #ordered: OrderedJobs;
  readonly #starts: StartsForWorkers;
  /** Number of tasks that have shared a slot with other tasks. */
  merged = 0;
  #isDisposed = false;
  #isResident = false;

  constructor(host: TaskHost, startFor: StartFor) {
    this.#host = host;
    this.#shared =
      canShare() && totalOf(host.sizes) > 0
        ? new SharedPool({
            ...host,
            onRoom: () => this.#pump(),
            again: (job) => this.#push(job),
            onLost: (args) => this.poison(args),
          })
        : null;
    const announceMail = (worker: PoolWorker): void => this.#shared?.announceMail(worker);
    this.pool = new WorkerPool({
      ...host,
      announceMail,
      onFree: () => this.#pump(),
      onStart: (worker) => {
        worker.events = host.rings?.open(worker.threadNumber) ?? null;
        this.#shared?.join(worker);
      },
      onEnd: (worker) => this.#leave(worker),
      taskOf: ({ threadNumber }) => this.#shared?.taskAt(threadNumber),
      onNotice: (worker, notice) => this.#hear(worker, notice),
      isKept: ({ set }) => this.#isResident && servesHigh(set),
      isBusy: () => (this.#shared?.size ?? 0) > 0 || (this.#shared?.queues.isBusy ?? false),
      runsTask: (worker) => worker.busy > 0 || this.isRunning(worker),
      beatOf: ({ threadNumber }) => this.#shared?.queues.beatOf(threadNumber) ?? 0,
      ask: (worker) => {
        worker.tell({ kind: 'ask' });
        this.#shared?.announceMail(worker);
      },
    });
    this.#page = new SliceRunner(
      () => !this.#isDisposed && this.#nextHere() !== undefined,
      async () => this.#pageJobs.run(this.#nextHere()?.take() as Job, null),
      host.clock,
    );
    this.#pageJobs = new PageJobs(startFor, host.rings);
    const isDisposed = (): boolean => this.#isDisposed;
    const { pool, poison } = this;
    const again = (job: Job, priority?: 'high'): void => this.#push(job, priority);
    this.#ordered = new OrderedJobs({ pool, announceMail, again, poison, isDisposed });
    this.#starts = new StartsForWorkers({ startFor, copied: this.#ordered.copied, announceMail, isDisposed });
    this.threads = new NamedThreads(host, (worker, notice) => this.#hear(worker, notice));
  }

  /** Number of idle workers, as far as this thread knows. */
  get idleCount(): number {
    return Math.max(0, this.pool.idleCount - (this.#shared?.size ?? 0));
  }

  /** Returns the name of the task that a worker runs, if it is known. */
  taskOf(worker: PoolWorker): string | undefined {
    return worker.task?.name ?? this.#shared?.taskAt(worker.threadNumber);
  }

  /** Returns whether the worker runs a task in shared memory, also a task that another worker's task has started. */
  isRunning({ threadNumber }: PoolWorker): boolean {
    return this.#shared?.queues.runs(threadNumber) ?? false;
  }

  get sharedBytes(): number {
    return this.#shared?.queues.memory.words.byteLength ?? 0;
  }

  /** Counts of tasks that other tasks have started in shared memory. */
  get started(): StartedTally {
    return this.#shared ? tallyStarted(this.#shared.queues.memory) : this.#startedAtEnd;
  }

  /** The memory that the pool's threads share; `null` without shared memory or workers. */
  get memory(): TaskMemory | null {
    return this.pool.isUsable ? (this.#shared?.queues.memory ?? null) : null;
  }

  /**
   * Starts the workers that serve the high set, and keeps them for a loop of another thread.
   * @param source the loop; `null` ends the loop
   */
  reside(source: ResidentLoopSource | null): void {
    if (this.#isDisposed) return;
    this.#isResident = source !== null;
    this.#shared?.reside(source);
    if (source) for (const set of WORKER_SETS) if (servesHigh(set)) this.pool.fill(set);
  }

  /** Largest number of workers that take part in a resident loop. */
  get residentCount(): number {
    const { sizes } = this.#host;
    return WORKER_SETS.reduce((sum, set) => sum + (servesHigh(set) ? sizes[set] : 0), 0);
  }

  tellResidents(message: unknown): void {
    this.#shared?.tellResidents(message);
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) this.#push(job);
    this.#pump();
  }

  /** Starts the missing workers of these sets. @returns all their workers that take jobs; none without workers */
  gather(sets: readonly WorkerSet[]): PoolWorker[] {
    if (this.#isDisposed) return [];
    for (const set of sets) this.pool.fill(set);
    return [...this.pool.workers].filter(({ set, isLeaving }) => sets.includes(set) && !isLeaving);
  }

  /** Sends each worker its own job, by message. The worker runs it in its next turn of the event loop. */
  handOut(jobs: readonly Job[], workers: readonly PoolWorker[]): void {
    for (const [index, worker] of workers.entries()) {
      this.pool.occupy(worker);
      void this.#ordered.runInPool(jobs[index] as Job, worker);
    }
  }

  readonly counterFor = (future: TaskFuture<unknown>): Pick<JobRanges, 'counter' | 'number'> =>
    this.#shared?.counterFor(future) ?? { counter: new Int32Array(new SharedArrayBuffer(4)), number: -1 };

  /** Ends all jobs. @returns resolves when the workers have cleaned up */
  async dispose(reason: unknown): Promise<void> {
    this.#isDisposed = true;
    this.#shared?.dispose();
    this.threads.dispose();
    this.#pageJobs.cleanUp(this.#host.onError);
    await this.pool.dispose(reason);
    this.#startedAtEnd = this.started;
    this.#shared = null;
  }

  /** Marks shared memory in these arguments as half-written: a thread has died while it ran the task. */
  readonly poison = (args: unknown): void => {
    for (const memory of sharedMemoryIn(args)) this.poisoned.add(memory);
  };

  #leave(worker: PoolWorker): void {
    this.#freeFencePlace(worker);
    this.#shared?.leave(worker);
    if (this.#isDisposed) return;
    // A worker that dies soon after its start would die again, so the loop goes on without it.
    const hasLived = (this.#host.clock ?? systemClock).now() - worker.startedAt >= SHORTEST_LIFE;
    if (this.#isResident && servesHigh(worker.set) && hasLived) this.pool.fill(worker.set);
    // Start another worker if there are more jobs than workers.
    for (const set of WORKER_SETS) {
      if (this.#inFlight(set) > this.pool.sizeOf(set)) this.pool.grow(set);
    }
  }

  /**
   * Frees the worker's place in the engine's fences, once the worker is certainly gone. A dying worker can still wake
   * up and overwrite the monitored value of its place. If another thread had the place by then, that thread's wait
   * would never end.
   */
  #freeFencePlace({ leaveFences, gone }: PoolWorker): void {
    if (!leaveFences) return;
    if (gone) void gone.then(leaveFences);
    else (this.#host.clock ?? systemClock).set(leaveFences, TERMINATION);
  }

  /** Returns the number of the page's jobs in flight, in shared memory and by message. */
  #inFlight(set: WorkerSet): number {
    return (this.#shared?.sizeOf(set) ?? 0) + this.pool.busyOf(set);
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
      if (this.#publishMerged(queue, job)) continue;
      const published = this.#shared?.publish(job);
      if (published === 'later') break;
      if (published === 'published') {
        queue.take();
        job.future.advance('queued');
        this.#growFor(set);
        continue;
      }
      const worker = this.pool.take(set);
      if (!worker) break;
      void this.#ordered.runInPool(queue.take() as Job, worker);
    }
  }

  /** Starts another worker if there are more jobs than workers, after a job was published. */
  #growFor(set: WorkerSet): void {
    this.pool.touch();
    if (this.#inFlight(set) > this.pool.sizeOf(set)) this.pool.grow(set);
  }

  /** Publishes small jobs at the head of the queue in one slot. @returns false if the next job stays alone */
  #publishMerged(queue: TaskQueue<Job>, first: Job): boolean {
    if (!this.#shared) return false;
    let pieces = queue.adjacent(mostMerged(first), isAlike);
    // Fewer jobs fit if their arguments are large.
    for (; pieces.length > 1; pieces = pieces.slice(0, pieces.length >> 1)) {
      const published = this.#shared.publish(mergedJob(pieces));
      if (published === 'later') return false;
      if (published === 'refused') continue;
      for (const { future } of pieces) {
        queue.take();
        future.advance('queued');
      }
      this.merged += pieces.length;
      this.#growFor(first.target.set);
      return true;
    }
    return false;
  }

  /** Sends a worker the order that it fetches by a ticket, and then the notice `fetched`. */
  #hand(worker: PoolWorker, job: Job | undefined): void {
    if (job) {
      this.pool.occupy(worker);
      void this.#ordered.runInPool(job, worker);
    }
    worker.tell({ kind: 'fetched' });
    this.#pump();
  }

  #push(job: Job, priority = job.target.priority): void {
    // A job that is queued again has left the place at which it was queued before.
    job.future.unwatch(job);
    if (job.target.thread !== undefined) {
      this.#send(job, job.target.thread);
      return;
    }
    this.#queues[job.target.set].push(job, priority);
  }

  /** Returns the queue of the job that this thread runs next if there are no workers. */
  #nextHere(): TaskQueue<Job> | undefined {
    return WORKER_SETS.map((set) => this.#queues[set]).find((queue) => queue.peek() !== undefined);
  }

  /** Sends a job to the queue of a named thread. */
  #send(job: Job, name: ThreadName): void {
    const opening = this.threads.whenOpen(name);
    if (opening) {
      void opening.then(() => job.isOver || this.#send(job, name));
      return;
    }
    const worker = this.threads.find(name);
    if (worker) {
      void this.#ordered.runInQueue(job, worker);
      return;
    }
    const { target, future } = job;
    const call: QueuedCall = {
      priority: target.priority,
      get isOver() {
        return job.isOver;
      },
      run: () => this.#pageJobs.run(job, this.threads.gameThread),
      abandon: (reason) => void future.cancel(reason),
    };
    this.threads.game.push(call, target.queue ?? 'main');
  }

  #hear(worker: PoolWorker, notice: WorkerNotice): void {
    // Handle the kinds `exited` and `untracked` also while the system is being disposed of.
    if (notice.kind === 'exited') worker.onExited?.();
    if (notice.kind === 'untracked') this.#host.onError(untrackedError(notice.task, thrownBy(notice)));
    if (this.#isDisposed) return;
    switch (notice.kind) {
      case 'alive':
        worker.gone = this.#host.whenReleased?.(notice.lock) ?? null;
        void worker.gone?.then(() => worker.vanish());
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
      case 'fetch':
        this.#hand(worker, this.#shared?.fetch(notice.ticket));
        return;
      case 'memory':
        this.#shared?.hearMemory(worker, notice);
        return;
      case 'lost':
        this.#shared?.tellMemories(worker);
        return;
      case 'fences':
        worker.inviteToFences(this.#host.inviteToFences, notice.request);
        return;
      case 'grow':
        this.pool.grow(notice.set);
        return;
      case 'locals':
        worker.hasLocals = true;
        return;
      case 'progress':
        this.#shared?.setProgress(notice.slot, notice.fraction);
        return;
      case 'orderProgress':
        worker.orders.get(notice.order)?.setProgress(notice.fraction);
        return;
      case 'start':
        this.#shared?.hearStart(worker);
        void this.#starts.start(worker, notice);
    }
  }
}
