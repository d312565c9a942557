/**
 * The workers of a task system (SYSTEMS T12). The pool starts workers for pending jobs, up to a limit, and ends them
 * when they have been idle for long. Idle workers receive jobs before new workers are started.
 */
import type { ThreadError } from '../../core/errors.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import type { TaskFuture } from '../futures/task-future.js';
import { reportSlow } from '../task-errors.js';
import type { WorkerNotice } from '../task-messages.js';
import { type SetSizes, totalOf, type WorkerSet } from '../task-sets.js';
import { PoolWorker, type WorkerLike } from './pool-worker.js';
import { type WorkerWatchOptions, watchPoolWorker } from './watch-pool-worker.js';

interface WorkerPoolOptions extends WorkerWatchOptions {
  /** Largest number of workers per set at a time. */
  readonly sizes: SetSizes;
  readonly startWorker: (name: string) => WorkerLike;
  readonly onError: (error: unknown) => void;
  /** Called when a worker is idle, or another worker can be started. */
  readonly onFree: () => void;
  readonly onStart: (worker: PoolWorker) => void;
  /** Called when a worker has died or was ended. */
  readonly onEnd: (worker: PoolWorker) => void;
  /** Returns the name of a task that a worker runs without an order of the pool. */
  readonly taskOf: (worker: PoolWorker) => string | undefined;
  readonly onNotice: (worker: PoolWorker, notice: WorkerNotice) => void;
  /** Wakes a worker that may sleep in shared memory, because it has a message. */
  readonly announceMail: (worker: PoolWorker) => void;
  /** Returns whether the worker stays, however long it is idle. */
  readonly isKept: (worker: PoolWorker) => boolean;
  /**
   * Seconds without a job in the whole pool after which its workers end, except kept workers. They are started again
   * when needed. Default 30.
   */
  readonly idleSeconds?: number | undefined;
  /** Duration of a job in seconds after which its task is reported as slow, once. Default 5. */
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Longest time until a worker's first message, in milliseconds. */
const START_LIMIT = 30_000;

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #clock: Clock;
  readonly #workers = new Set<PoolWorker>();
  #isBroken = false;
  #usedAt = 0;
  #idleTimer: unknown;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** True if the pool can have workers: some are configured, and starting them has not failed. */
  get isUsable(): boolean {
    return totalOf(this.#options.sizes) > 0 && !this.#isBroken;
  }

  get size(): number {
    return this.#workers.size;
  }

  get idleCount(): number {
    return [...this.#workers].filter(({ busy }) => busy === 0).length;
  }

  sizeOf(set: WorkerSet): number {
    return this.#of(set).length;
  }

  /**
   * Starts a worker of this set, if the limit allows it. If the high set is complete, starts a normal worker instead.
   */
  grow(set: WorkerSet): void {
    if (!this.#start(set) && set === 'high') this.#start('normal');
  }

  /** Starts all workers of a set that are not running. */
  fill(set: WorkerSet): void {
    for (let missing = this.#options.sizes[set] - this.sizeOf(set); missing > 0; missing--) this.#start(set);
  }

  /**
   * Takes an idle worker, a new worker, or a worker whose tasks wait for tasks that they have started. Give it back
   * with `release`.
   * @returns undefined if all workers are busy
   */
  take(set: WorkerSet): PoolWorker | undefined {
    const workers = this.#of(set);
    const worker =
      this.#idleOrNew(set) ??
      // Normal workers also run jobs of the high set.
      (set === 'high' ? this.#idleOrNew('normal') : undefined) ??
      workers.find(({ busy, awaited, isLeaving }) => busy <= awaited && !isLeaving);
    if (worker) this.occupy(worker);
    return worker;
  }

  /** Marks a worker as busy with one more job. Give it back with `release`. */
  occupy(worker: PoolWorker): void {
    this.touch();
    worker.busy++;
  }

  /** Returns the number of jobs that workers of this set have received by message and not ended. */
  busyOf(set: WorkerSet): number {
    return this.#of(set).reduce((sum, { busy }) => sum + busy, 0);
  }

  /** Returns a worker to the pool after it has ended its job. */
  release(worker: PoolWorker): void {
    worker.busy--;
    if (worker.busy === 0) worker.task = null;
    if (!this.#workers.has(worker)) return;
    this.touch();
    this.#options.onFree();
  }

  /** Restarts the idle time. */
  touch(): void {
    this.#usedAt = this.#clock.now();
    this.#idleTimer ??= this.#watchIdleness();
  }

  /** Reports the task if it is slow. @returns a function that ends the watch */
  watch(worker: PoolWorker, task: TaskFuture<unknown>): () => void {
    const { reportSeconds = 5, onError } = this.#options;
    worker.task = task;
    const timer = this.#clock.set(
      () => reportSlow(task, reportSeconds, worker.name, onError),
      reportSeconds * 1000,
    );
    return () => this.#clock.clear(timer);
  }

  /** Ends all workers. @returns resolves when all have cleaned up */
  async dispose(reason: unknown): Promise<void> {
    this.#clock.clear(this.#idleTimer);
    this.#isBroken = true;
    await Promise.all(this.#endEach([...this.#workers], reason));
  }

  /** All live workers, for the list of threads. */
  get workers(): Iterable<PoolWorker> {
    return this.#workers;
  }

  #of(set: WorkerSet): PoolWorker[] {
    return [...this.#workers].filter((worker) => worker.set === set);
  }

  #idleOrNew(set: WorkerSet): PoolWorker | undefined {
    return this.#of(set).find(({ busy, isLeaving }) => busy === 0 && !isLeaving) ?? this.#start(set);
  }

  #start(set: WorkerSet): PoolWorker | undefined {
    const { sizes, startWorker, taskOf, onNotice, onStart, onError } = this.#options;
    if (!this.isUsable || this.sizeOf(set) >= sizes[set]) return undefined;
    const taken = new Set([...this.#workers].map(({ threadNumber }) => threadNumber));
    let threadNumber = 1;
    while (taken.has(threadNumber)) threadNumber++;
    try {
      const worker = new PoolWorker({
        ...{ threadNumber, set, taskOf, onNotice },
        worker: startWorker(`Worker ${threadNumber}`),
        onLoss: onError,
        onDeath: this.#onDeath,
      });
      worker.startedAt = this.#clock.now();
      this.#workers.add(worker);
      const timer = this.#clock.set(() => worker.giveUpStart(START_LIMIT / 1000), START_LIMIT);
      worker.onFirstWord = () => this.#clock.clear(timer);
      watchPoolWorker(worker, this.#options);
      onStart(worker);
      this.touch();
      return worker;
    } catch (error) {
      this.#isBroken = true;
      onError(error);
      return undefined;
    }
  }

  #watchIdleness(): unknown {
    const { idleSeconds = 30, isBusy } = this.#options;
    const left = this.#usedAt + idleSeconds * 1000 - this.#clock.now();
    return this.#clock.set(
      () => {
        this.#idleTimer = undefined;
        if (this.#workers.size === 0) return;
        const isIdle = this.idleCount === this.#workers.size && !isBusy();
        if (!isIdle) this.touch();
        else if (this.#clock.now() - this.#usedAt >= idleSeconds * 1000) this.#endIdle();
        else this.#idleTimer = this.#watchIdleness();
      },
      Math.max(1, left),
    );
  }

  #endIdle(): void {
    this.#endEach([...this.#workers].filter((worker) => !this.#options.isKept(worker)));
  }

  #endEach(workers: Iterable<PoolWorker>, reason?: unknown): Promise<void>[] {
    const exits: Promise<void>[] = [];
    for (const worker of workers) {
      if (worker.isLeaving) continue;
      // Only workers with something to clean up get time for it.
      if (worker.hasLocals) exits.push(this.#exit(worker, reason));
      else this.#end(worker, reason);
    }
    return exits;
  }

  async #exit(worker: PoolWorker, reason: unknown): Promise<void> {
    const exited = worker.exit(this.#clock);
    this.#options.announceMail(worker);
    await exited;
    // The worker may have died meanwhile.
    if (!this.#workers.has(worker)) return;
    this.#end(worker, reason);
    this.#options.onFree();
  }

  #end(worker: PoolWorker, reason: unknown): void {
    this.#workers.delete(worker);
    worker.end(reason);
    this.#options.onEnd(worker);
  }

  readonly #onDeath = (worker: PoolWorker, error: ThreadError): void => {
    this.#workers.delete(worker);
    // A script that has never run won't run the next time either, so run tasks on the page from now on.
    if (!worker.hasAnswered) this.#isBroken = true;
    this.#options.onError(error);
    queueMicrotask(() => {
      this.#options.onEnd(worker);
      this.#options.onFree();
    });
  };
}
