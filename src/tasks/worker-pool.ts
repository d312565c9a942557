/**
 * The workers of a task system: started when there is something to do, at most as many as were asked for, and given back
 * when nothing was to do for long. Who has nothing to do gets the next job (SYSTEMS T12).
 */
import { TaskError, type ThreadError } from '../core/errors.js';
import { type Clock, systemClock } from '../sync/deadline.js';
import { PoolWorker, type WorkerLike } from './pool-worker.js';

export interface WorkerPoolOptions {
  /** The most workers at a time. */
  readonly limit: number;
  readonly startWorker: (name: string) => WorkerLike;
  readonly onError: (error: unknown) => void;
  /** A worker has nothing to do, or one can be started. */
  readonly onFree: () => void;
  /** Nothing was to do for that long: all workers end, and are started again when needed. Default 30. */
  readonly idleSeconds?: number | undefined;
  /** A job that takes longer is reported, once. Default 5. */
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #clock: Clock;
  readonly #workers = new Set<PoolWorker>();
  readonly #idle: PoolWorker[] = [];
  #started = 0;
  #isBroken = false;
  #idleTimer: unknown;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Workers can be had: they are wanted, and their script could be started. */
  get isUsable(): boolean {
    return this.#options.limit > 0 && !this.#isBroken;
  }

  get size(): number {
    return this.#workers.size;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  /** A worker with nothing to do, a new one if need be; undefined: all are busy. Give it back with `release`. */
  take(): PoolWorker | undefined {
    this.#clock.clear(this.#idleTimer);
    const idle = this.#idle.pop();
    if (idle || !this.isUsable || this.#workers.size >= this.#options.limit) return idle;
    try {
      const name = `Worker ${++this.#started}`;
      const worker = new PoolWorker(name, this.#options.startWorker(name), this.#onDeath);
      this.#workers.add(worker);
      return worker;
    } catch (error) {
      this.#isBroken = true;
      this.#options.onError(error);
      return undefined;
    }
  }

  /** The worker has done its job, and may be given another one. */
  release(worker: PoolWorker): void {
    worker.task = null;
    if (!this.#workers.has(worker)) return;
    this.#idle.push(worker);
    this.#options.onFree();
    if (this.#idle.length < this.#workers.size) return;
    const { idleSeconds = 30 } = this.#options;
    this.#idleTimer = this.#clock.set(() => this.#endAll(), idleSeconds * 1000);
  }

  /** Names the task if it takes too long. @returns ends the watch */
  watch(worker: PoolWorker, task: string): () => void {
    const { reportSeconds = 5, onError } = this.#options;
    worker.task = task;
    const timer = this.#clock.set(() => {
      onError(
        new TaskError(
          'task-slow',
          `The task ${task} has run for ${reportSeconds} s in ${worker.name}, which does nothing else meanwhile. Split it, or cancel what it waits for.`,
        ),
      );
    }, reportSeconds * 1000);
    return () => this.#clock.clear(timer);
  }

  dispose(reason: unknown): void {
    this.#clock.clear(this.#idleTimer);
    this.#isBroken = true;
    this.#endAll(reason);
  }

  #endAll(reason?: unknown): void {
    for (const worker of this.#workers) worker.end(reason);
    this.#workers.clear();
    this.#idle.length = 0;
  }

  readonly #onDeath = (worker: PoolWorker, error: ThreadError): void => {
    this.#workers.delete(worker);
    const place = this.#idle.indexOf(worker);
    if (place >= 0) this.#idle.splice(place, 1);
    // A script that never ran will not run the next time either: tasks run on the page from here on.
    if (!worker.hasAnswered) this.#isBroken = true;
    this.#options.onError(error);
    queueMicrotask(this.#options.onFree);
  };
}
