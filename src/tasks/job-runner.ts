/**
 * Gives queued jobs to whoever has nothing to do: a worker of the pool, or this thread where there are none.
 *
 *   TaskQueue ─┬─► PoolWorker ─► task-worker.js
 *              └─► PageRunner
 */
import { ThreadError } from '../core/errors.js';
import { type Job, type LoadedModule, orderOf } from './job.js';
import { PageRunner } from './page-runner.js';
import type { PoolWorker } from './pool-worker.js';
import { applyChanges, cloneArguments } from './task-arguments.js';
import { argumentsRefused, isRefused, loadFailed, resultRefused } from './task-errors.js';
import type { TaskHost } from './task-host.js';
import { findTask } from './task-module.js';
import { type TaskPriority, TaskQueue } from './task-queue.js';
import { WorkerPool } from './worker-pool.js';

export class JobRunner {
  readonly pool: WorkerPool;
  readonly #queue = new TaskQueue<Job>();
  readonly #page: PageRunner;
  #isDisposed = false;

  constructor(host: TaskHost) {
    this.pool = new WorkerPool({ ...host, limit: host.workers, onFree: () => this.#pump() });
    this.#page = new PageRunner(
      () => !this.#isDisposed && this.#queue.peek() !== undefined,
      () => this.#doNextHere(),
      host.clock,
    );
  }

  add(jobs: readonly Job[], priority: TaskPriority): void {
    for (const job of jobs) this.#queue.push(job, priority);
    this.#pump();
  }

  dispose(reason: unknown): void {
    this.#isDisposed = true;
    this.pool.dispose(reason);
  }

  #pump(): void {
    if (this.#isDisposed) return;
    while (this.#queue.peek()) {
      const worker = this.pool.take();
      if (!worker) break;
      void this.#doThere(this.#queue.take() as Job, worker);
    }
    if (!this.pool.isUsable) this.#page.wake();
  }

  async #doThere(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future } = job;
    const endWatch = this.pool.watch(worker, future.name);
    future.advance('running');
    const originals: ArrayBuffer[] = [];
    try {
      const loaded = this.#loadThere(module, worker);
      const ordered = worker.order({ ...orderOf(job, originals), module: module.number, name });
      ordered.catch(() => {}); // the reason may be that the module could not be loaded
      await loaded;
      const { result, changes } = await ordered;
      applyChanges(originals, changes);
      job.onDone(result);
    } catch (error) {
      if (error instanceof ThreadError && !worker.hasAnswered) this.#queue.push(job, 'high');
      else future.fail(isRefused(error) ? argumentsRefused(future, error) : error);
    } finally {
      endWatch();
      this.pool.release(worker);
    }
  }

  #loadThere({ number, url }: LoadedModule, worker: PoolWorker): Promise<unknown> {
    const known = worker.modules.get(number);
    if (known) return known;
    const loading = worker.order({ kind: 'load', module: number, url }).catch((cause) => {
      worker.modules.delete(number);
      throw cause instanceof ThreadError ? cause : loadFailed(url, worker.name, cause);
    });
    worker.modules.set(number, loading);
    return loading;
  }

  /** The next job, on this thread. */
  async #doNextHere(): Promise<void> {
    const job = this.#queue.take() as Job;
    const { module, name, args, begin, end, future } = job;
    future.advance('running');
    try {
      const given = cloneArguments(args);
      const result: unknown = await findTask(module.tasks, name, module.url)(given, begin, end);
      job.onDone(cloneResult(result));
    } catch (error) {
      future.fail(isRefused(error) ? argumentsRefused(future, error) : error);
    }
  }
}

function cloneResult(result: unknown): unknown {
  try {
    return structuredClone(result);
  } catch (cause) {
    throw resultRefused(cause);
  }
}
