/**
 * The task system: functions of modules, run in a pool of workers, in an order that prerequisites give (SYSTEMS T1–T12).
 *
 *   module.run, parallelFor ─► TaskFuture ─ prerequisites are done ─► TaskQueue ─┬─► PoolWorker ─► task-worker.js
 *                                  ▲                                             └─► PageRunner, without workers
 *                                  └──────────── result, or what it threw ◄──────────┘
 *
 * The page's thread never blocks: whoever waits there awaits a promise.
 */
import { ThreadError } from '../core/errors.js';
import { type Clock, withDeadline } from '../sync/deadline.js';
import { type Job, jobOf, type LoadedModule, orderOf } from './job.js';
import { TaskModule } from './loaded-tasks.js';
import { PageRunner } from './page-runner.js';
import type { PoolWorker, WorkerLike } from './pool-worker.js';
import type { ImportModule } from './serve-tasks.js';
import { canShare } from './shared-array.js';
import { applyChanges, cloneArguments } from './task-arguments.js';
import {
  argumentsRefused,
  disposed,
  isRefused,
  loadFailed,
  prerequisiteFailed,
  resultRefused,
} from './task-errors.js';
import { type SettledState, TaskFuture } from './task-future.js';
import { findTask, type TaskTable, tasksOf, type UntypedTasks } from './task-module.js';
import {
  checkTaskOptions,
  checkWhole,
  MAXIMUM_COUNT,
  type ParallelForOptions,
  readFlags,
  type TaskOptions,
} from './task-options.js';
import { TaskQueue } from './task-queue.js';
import { WorkerPool } from './worker-pool.js';

export interface TaskStats {
  /** Running now; the pool starts them when they are needed, and ends them after long idleness. */
  readonly workers: number;
  readonly idleWorkers: number;
  /** Memory is shared with them; elsewhere it is copied. */
  readonly isShared: boolean;
  /** Tasks by what became of them so far; `pending` have not settled. */
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** What a task system is made of. */
export interface TaskHost {
  /** The most workers; 0: everything runs on this thread. */
  readonly workers: number;
  readonly startWorker: (name: string) => WorkerLike;
  readonly importModule: ImportModule;
  /** What no future tells: a worker died, a task takes long. */
  readonly onError: (error: unknown) => void;
  readonly idleSeconds?: number | undefined;
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Time for a task module to be fetched and evaluated, in milliseconds. */
const LOAD_LIMIT = 30_000;

/** Calls per worker, so that one that is slow holds nobody up for long. */
const CALLS_PER_WORKER = { balanced: 8, unbalanced: 32 };

export class TaskSystem {
  readonly #host: TaskHost;
  readonly #queue = new TaskQueue<Job>();
  readonly #pool: WorkerPool;
  readonly #page: PageRunner;
  readonly #modules = new Map<string, Promise<TaskModule<TaskTable>>>();
  readonly #pending = new Set<TaskFuture<unknown>>();
  readonly #settled: Record<SettledState, number> = { done: 0, failed: 0, cancelled: 0 };
  #isDisposed = false;

  /** @internal Use `createTaskSystem`. */
  constructor(host: TaskHost) {
    this.#host = host;
    this.#pool = new WorkerPool({ ...host, limit: host.workers, onFree: () => this.#pump() });
    this.#page = new PageRunner(
      () => !this.#isDisposed && this.#queue.peek() !== undefined,
      () => this.#doNextHere(),
      host.clock,
    );
  }

  /**
   * Loads a task module, here and in every worker that is to run its tasks.
   *
   * @param url resolved against the document
   * @returns rejects with TaskError `task-module-failed` or `task-module-empty`, ThreadError `wait-timed-out`
   */
  load<Tasks extends TaskTable = UntypedTasks>(url: string | URL): Promise<TaskModule<Tasks>> {
    if (this.#isDisposed) return Promise.reject(disposed());
    const { href } = new URL(url, globalThis.document?.baseURI);
    let loading = this.#modules.get(href);
    if (!loading) {
      loading = this.#load(href, this.#modules.size);
      this.#modules.set(href, loading);
      loading.catch(() => this.#modules.delete(href)); // the next call tries again
    }
    return loading as Promise<TaskModule<Tasks>>;
  }

  stats(): TaskStats {
    return {
      workers: this.#pool.size,
      idleWorkers: this.#pool.idleCount,
      isShared: canShare(),
      pending: this.#pending.size,
      ...this.#settled,
    };
  }

  /** Ends the workers. Tasks that have not settled reject with StateError `tasks-disposed`, and so do later ones. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const future of this.#pending) future.cancel(disposed());
    this.#pool.dispose(disposed());
  }

  /** @internal */
  run(module: LoadedModule, name: string, args: unknown, options: TaskOptions): TaskFuture<unknown> {
    checkTaskOptions('run', options, 'priority, prerequisites, signal');
    findTask(module.tasks, name, module.url);
    return this.#submit(module, name, options, (future) => [
      jobOf(module, name, args, 0, 1, future, (result) => future.resolve(result)),
    ]);
  }

  /** @internal */
  parallelFor(
    module: LoadedModule,
    name: string,
    count: number,
    args: unknown,
    options: ParallelForOptions,
  ): TaskFuture<void> {
    checkTaskOptions('parallelFor', options, 'priority, prerequisites, signal, batch, flags');
    findTask(module.tasks, name, module.url);
    checkWhole('The count of parallelFor', count, 0, MAXIMUM_COUNT);
    const flags = readFlags(options.flags);
    const lanes = flags.has('forced-single') || !this.#pool.isUsable ? 1 : this.#host.workers;
    const calls = lanes * CALLS_PER_WORKER[flags.has('unbalanced') ? 'unbalanced' : 'balanced'];
    const fair = Math.max(1, Math.ceil(count / calls));
    const batch = flags.has('forced-single')
      ? Math.max(1, count)
      : Math.min(options.batch ?? fair, Math.max(1, count));
    checkWhole('The batch of parallelFor', batch, 1, MAXIMUM_COUNT);
    const submitted = this.#submit(module, name, options, (future) => {
      if (count === 0) {
        future.resolve(undefined);
        return [];
      }
      let left = 0;
      const onDone = (): void => {
        if (--left === 0) future.resolve(undefined);
      };
      const jobs: Job[] = [];
      const calls = Math.ceil(count / batch);
      if (canShare() && this.#pool.isUsable && calls > 1) {
        // No worker is told more than the others: each takes the next range when it is done with one.
        const counter = new Int32Array(new SharedArrayBuffer(4));
        const takers = Math.min(this.#host.workers, calls);
        for (let taker = 0; taker < takers; taker++) {
          jobs.push(jobOf(module, name, args, 0, count, future, onDone, { counter, count, batch }));
        }
      } else {
        for (let begin = 0; begin < count; begin += batch) {
          jobs.push(jobOf(module, name, args, begin, Math.min(begin + batch, count), future, onDone));
        }
      }
      left = jobs.length;
      return jobs;
    });
    return submitted as TaskFuture<void>;
  }

  async #load(href: string, number: number): Promise<TaskModule<TaskTable>> {
    const loading = withDeadline(this.#host.importModule(href), {
      milliseconds: LOAD_LIMIT,
      waiter: 'tasks.load()',
      awaited: href,
    });
    const module = await loading.catch((cause) => {
      throw loadFailed(href, 'the page', cause);
    });
    return new TaskModule(this, { number, url: href, tasks: tasksOf(module, href) });
  }

  #submit(
    module: LoadedModule,
    name: string,
    { prerequisites = [], priority = 'normal', signal }: TaskOptions,
    jobsOf: (future: TaskFuture<unknown>) => readonly Job[],
  ): TaskFuture<unknown> {
    const abort = (): void => void future.cancel(signal?.reason);
    const future = new TaskFuture<unknown>(`"${name}" of ${module.url}`, (state) => {
      this.#pending.delete(future);
      this.#settled[state]++;
      signal?.removeEventListener('abort', abort);
    });
    this.#pending.add(future);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    if (this.#isDisposed) future.cancel(disposed());
    const begin = (): void => {
      if (future.isSettled) return;
      future.advance('queued');
      for (const job of jobsOf(future)) this.#queue.push(job, priority);
      this.#pump();
    };
    if (prerequisites.length === 0) begin();
    else {
      Promise.all(prerequisites).then(begin, (cause) => future.cancel(prerequisiteFailed(future, cause)));
    }
    return future;
  }

  /** Gives jobs to whoever has nothing to do. */
  #pump(): void {
    if (this.#isDisposed) return;
    while (this.#queue.peek()) {
      const worker = this.#pool.take();
      if (!worker) break;
      void this.#doThere(this.#queue.take() as Job, worker);
    }
    if (!this.#pool.isUsable) this.#page.wake();
  }

  async #doThere(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future } = job;
    const endWatch = this.#pool.watch(worker, future.name);
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
      this.#pool.release(worker);
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
