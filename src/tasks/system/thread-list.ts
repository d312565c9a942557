/** The list of a task system's threads, including runnables, which are the program's own threads (SYSTEMS T11). */
import { checkOptions } from '../../core/options/check-options.js';
import type { ThreadName } from '../named-threads/thread-queues.js';
import type { JobRunner } from '../page/job-runner.js';
import type { TaskHost } from '../page/task-host.js';
import {
  TaskThread,
  type TaskThreadState,
  THREAD_OPTIONS,
  type ThreadOptions,
} from '../runnable/task-thread.js';
import { disposed, loadFailed } from '../task-errors.js';
import { addressOf } from '../task-options.js';
import { totalOf, type WorkerSet } from '../task-sets.js';

export interface ThreadInfo {
  readonly name: string;
  /**
   * `page`: the thread that owns the task system. `worker`: a pool worker. `named`: a thread of the engine that runs
   * tasks. `runnable`: a thread of the program. `other`: a thread of the engine without tasks.
   */
  readonly kind: 'page' | 'worker' | 'named' | 'runnable' | 'other';
  readonly state: TaskThreadState | 'idle';
  /**
   * Task that the thread has begun last and still runs; `null` if there is none. Without shared memory, only tasks that
   * the page has ordered are known. Always `null` for the kinds `page`, `runnable` and `other`.
   */
  readonly task: string | null;
  /** Set of a pool worker. */
  readonly set?: WorkerSet;
  /** Names by which tasks are sent to the thread. */
  readonly names?: readonly ThreadName[];
}

/** Longest time that runnables have to end when the task system ends, in seconds. */
const STOP_SECONDS = 1;

export class ThreadList {
  readonly #host: TaskHost;
  readonly #runner: JobRunner;
  readonly #threads = new Set<TaskThread>();
  #isDisposed = false;

  constructor(host: TaskHost, runner: JobRunner) {
    this.#host = host;
    this.#runner = runner;
  }

  async create(url: string | URL, options: ThreadOptions): Promise<TaskThread> {
    checkOptions('createThread', options, THREAD_OPTIONS);
    const { initSeconds = 30 } = options;
    if (this.#isDisposed) throw disposed();
    const href = addressOf('createThread', url);
    const { importModule, startWorker, onError, clock, sizes, rings } = this.#host;
    const thread = new TaskThread(href, options, {
      startWorker: totalOf(sizes) > 0 && this.#runner.pool.isUsable ? startWorker : null,
      importModule: (each) =>
        importModule(each).catch((cause) => {
          throw loadFailed(each, 'the page', cause);
        }),
      onError,
      poison: this.#runner.poison,
      onEnd: (ended) => this.#threads.delete(ended),
      clock,
      openEvents: rings && ((named) => rings.openRunnable(named)),
    });
    this.#threads.add(thread);
    return thread.whenInitialised(initSeconds, href);
  }

  all(): ThreadInfo[] {
    const { pool, threads } = this.#runner;
    const here = (['game', 'render', 'rhi'] as const).filter((name) => threads.find(name) === null);
    const list: ThreadInfo[] = [
      { name: 'The page’s thread', kind: 'page', state: 'running', task: null, names: here },
    ];
    for (const worker of pool.workers) {
      const task = this.#runner.taskOf(worker) ?? null;
      const isBusy = task !== null || worker.busy > 0 || this.#runner.isRunning(worker);
      list.push({
        ...{ name: worker.name, kind: 'worker', set: worker.set, task },
        state: isBusy ? 'running' : 'idle',
      });
    }
    for (const [name, worker] of threads.attached) {
      const names = (['render', 'rhi'] as const).filter((each) => threads.find(each) === worker);
      const task = worker.task?.state === 'running' ? worker.task.name : null;
      list.push({ name: `The ${name} thread`, kind: 'named', state: 'running', task, names });
    }
    for (const { name, state } of this.#threads) list.push({ name, kind: 'runnable', state, task: null });
    for (const name of this.#host.otherThreads?.() ?? [])
      list.push({ name, kind: 'other', state: 'running', task: null });
    return list;
  }

  /** Stops all runnables, and kills those that don't end in time. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#threads].map((thread) => thread.stop({ seconds: STOP_SECONDS })));
  }
}
