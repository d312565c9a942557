/**
 * The workers of a task system: started when there is something to do, at most as many as were asked for, and given back
 * when nothing was to do for long. Who has nothing to do gets the next job (SYSTEMS T12).
 */
import type { ThreadError } from '../../core/errors.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import type { TaskFuture } from '../futures/task-future.js';
import { tellSlow } from '../task-errors.js';
import type { WorkerNotice } from '../task-messages.js';
import { type SetSizes, totalOf, type WorkerSet } from '../task-sets.js';
import { PoolWorker, type WorkerLike } from './pool-worker.js';

interface WorkerPoolOptions {
  /** The most workers at a time. */
  readonly sizes: SetSizes;
  readonly startWorker: (name: string) => WorkerLike;
  readonly onError: (error: unknown) => void;
  /** A worker has nothing to do, or one can be started. */
  readonly onFree: () => void;
  readonly onStart: (worker: PoolWorker) => void;
  /** It has died, or was ended. */
  readonly onEnd: (worker: PoolWorker) => void;
  /** The task that a worker runs, where the pool has not given it. */
  readonly taskOf: (worker: PoolWorker) => string | undefined;
  readonly onNotice: (worker: PoolWorker, notice: WorkerNotice) => void;
  /** Something is under way of which the pool does not know. */
  readonly isBusy: () => boolean;
  /** Nothing was to do for that long: all workers end, and are started again when needed. Default 30. */
  readonly idleSeconds?: number | undefined;
  /** A task of which a job takes longer is reported, once. Default 5. */
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A script that has not said a word for that long will not. Milliseconds. */
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

  /** Workers can be had: they are wanted, and their script could be started. */
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

  /** One more worker for tasks of this set, if there may be one: for the high set a normal one where that is complete. */
  grow(set: WorkerSet): void {
    if (!this.#start(set) && set === 'high') this.#start('normal');
  }

  /**
   * A worker with nothing to do, a new one if need be, or one whose tasks await others that they have started; undefined: all
   * are busy. Give it back with `release`.
   */
  take(set: WorkerSet): PoolWorker | undefined {
    const workers = this.#of(set);
    const worker =
      this.#idleOrNew(set) ??
      // Normal workers help the high ones.
      (set === 'high' ? this.#idleOrNew('normal') : undefined) ??
      workers.find(({ busy, awaited, isLeaving }) => busy <= awaited && !isLeaving);
    if (worker) this.occupy(worker);
    return worker;
  }

  /** It gets a job. Give it back with `release`. */
  occupy(worker: PoolWorker): void {
    this.touch();
    worker.busy++;
  }

  /** Jobs that workers of this set have got by message. */
  busyOf(set: WorkerSet): number {
    return this.#of(set).reduce((sum, { busy }) => sum + busy, 0);
  }

  /** The worker has done its job, and may be given another one. */
  release(worker: PoolWorker): void {
    worker.busy--;
    if (worker.busy === 0) worker.task = null;
    if (!this.#workers.has(worker)) return;
    this.touch();
    this.#options.onFree();
  }

  /** It is in use: the time of idleness begins anew. */
  touch(): void {
    this.#usedAt = this.#clock.now();
    this.#idleTimer ??= this.#watchIdleness();
  }

  /** Names the task if it takes too long. @returns ends the watch */
  watch(worker: PoolWorker, task: TaskFuture<unknown>): () => void {
    const { reportSeconds = 5, onError } = this.#options;
    worker.task = task;
    const timer = this.#clock.set(
      () => tellSlow(task, reportSeconds, worker.name, onError),
      reportSeconds * 1000,
    );
    return () => this.#clock.clear(timer);
  }

  /** @returns when all have cleaned up */
  async dispose(reason: unknown): Promise<void> {
    this.#clock.clear(this.#idleTimer);
    this.#isBroken = true;
    await Promise.all(this.#endAll(reason));
  }

  /** All that run, for the list of threads. */
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
      this.#workers.add(worker);
      const timer = this.#clock.set(() => worker.giveUpStart(START_LIMIT / 1000), START_LIMIT);
      worker.onFirstWord = () => this.#clock.clear(timer);
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
        else if (this.#clock.now() - this.#usedAt >= idleSeconds * 1000) this.#endAll();
        else this.#idleTimer = this.#watchIdleness();
      },
      Math.max(1, left),
    );
  }

  #endAll(reason?: unknown): Promise<void>[] {
    const exits: Promise<void>[] = [];
    for (const worker of [...this.#workers]) {
      if (worker.isLeaving) continue;
      // Only who has something to clean up is asked for it.
      if (worker.hasLocals) exits.push(this.#exit(worker, reason));
      else this.#end(worker, reason);
    }
    return exits;
  }

  async #exit(worker: PoolWorker, reason: unknown): Promise<void> {
    await worker.exit(this.#clock);
    // It may have died meanwhile.
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
    // A script that never ran will not run the next time either: tasks run on the page from here on.
    if (!worker.hasAnswered) this.#isBroken = true;
    this.#options.onError(error);
    queueMicrotask(() => {
      this.#options.onEnd(worker);
      this.#options.onFree();
    });
  };
}
