/**
 * The task system: functions of modules, run in a pool of workers, in an order that prerequisites give (SYSTEMS T1–T12).
 *
 *   module.run, parallelFor ─► TaskFuture ─ unlocked, prerequisites are done ─► JobRunner ─► a worker, or this thread
 *                                  ▲                                               │
 *                                  └──────────── result, or what it threw ◄────────┘
 *
 * The page's thread never blocks: whoever waits there awaits a promise.
 */
import { development } from '../core/development.js';
import { TaskError } from '../core/errors.js';
import { checkOption, checkOptionNames } from '../core/option-names.js';
import { withDeadline } from '../sync/deadline.js';
import { type ArenaOptions, TaggedArenas } from './arenas/tagged-arenas.js';
import { CounterWaits } from './blocking/counter-waits.js';
import { TaskCounter } from './blocking/task-counter.js';
import { type Job, jobOf, type LoadedModule } from './job.js';
import { JobRunner } from './job-runner.js';
import { TaskModule } from './loaded-tasks.js';
import type { NamedThread } from './named/named-thread.js';
import type { AttachedName } from './named/named-threads.js';
import type { ThreadName } from './named/thread-queues.js';
import { planOf, planRanges } from './plan-ranges.js';
import type { WorkerLike } from './pool-worker.js';
import type { TaskThread, ThreadOptions } from './runnable/task-thread.js';
import { canShare, sharedArray, type TaskArray } from './shared-array.js';
import { TaskCosts } from './task-costs.js';
import { disposed, loadFailed, triggerFailed, untrackedError } from './task-errors.js';
import { TaskEvent } from './task-event.js';
import { type SettledState, TaskFuture } from './task-future.js';
import type { TaskHost } from './task-host.js';
import type { StartOrder } from './task-messages.js';
import { findTask, type TaskTable, tasksOf, type UntypedTasks } from './task-module.js';
import {
  addressOf,
  checkTaskOptions,
  checkThread,
  checkThreadName,
  checkWhole,
  FIRE_OPTIONS,
  type ParallelForOptions,
  RUN_OPTIONS,
  type RunOptions,
  TASK_OPTIONS,
} from './task-options.js';
import { placementOf, type TaskPlacement } from './task-sets.js';
import { type ThreadInfo, ThreadList } from './thread-list.js';

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
  /** Bytes. */
  readonly memory: {
    /** Queues and slots that the threads share; 0 where no memory is shared. */
    readonly queues: number;
    /** Of all arenas: blocks in use now, and the most at a time. */
    readonly arenas: number;
    readonly arenasPeak: number;
  };
}

/** What the callback throws is reported as what an event's listener throws is, and holds nothing up. */
function guarded(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  };
}

/** Time for a task module to be fetched and evaluated, in milliseconds. */
const LOAD_LIMIT = 30_000;

export class TaskSystem {
  readonly #host: TaskHost;
  readonly #runner: JobRunner;
  readonly #threads: ThreadList;
  readonly #modules = new Map<string, Promise<TaskModule<TaskTable>>>();
  readonly #loaded = new Map<number, LoadedModule>();
  readonly #pending = new Set<TaskFuture<unknown>>();
  readonly #events = new Set<{ cancel(reason: unknown): boolean }>();
  readonly #costs = new TaskCosts();
  readonly #counterWaits = new CounterWaits();
  readonly #arenas = new Set<TaggedArenas>();
  readonly #settled: Record<SettledState, number> = { done: 0, failed: 0, cancelled: 0 };
  readonly #shutdownCallbacks = new Set<() => void>();
  #nextModule = 0;
  #isDisposed = false;
  #disposal: Promise<void> | undefined;

  /** @internal Use `createTaskSystem`. */
  constructor(given: TaskHost) {
    const host = { ...given, onError: guarded(given.onError) };
    this.#host = host;
    this.#runner = new JobRunner(host, (order, args) => this.#startFor(order, args));
    this.#threads = new ThreadList(host, this.#runner);
  }

  /**
   * Loads a task module, here and in every worker that is to run its tasks.
   *
   * @param url resolved against the document
   * @returns rejects with TaskError `task-module-failed` or `task-module-empty`, OptionError `option-invalid`
   */
  async load<Tasks extends TaskTable = UntypedTasks>(url: string | URL): Promise<TaskModule<Tasks>> {
    this.#checkAlive();
    const href = addressOf('load', url);
    let loading = this.#modules.get(href);
    if (!loading) {
      loading = this.#load(href, this.#nextModule++);
      this.#modules.set(href, loading);
      loading.catch(() => this.#modules.delete(href)); // the next call tries again
    }
    return loading as Promise<TaskModule<Tasks>>;
  }

  /**
   * An event, which tasks can have as a prerequisite, and which `trigger()` or the end of a task triggers.
   * It is a promise with its resolver as well: `tasks.event<number>('answer').trigger(42)`.
   *
   * @param name for messages
   */
  event<T = void>(name: string): TaskEvent<T> {
    const event: TaskEvent<T> = new TaskEvent<T>(String(name), () => {
      this.#events.delete(event);
    });
    this.#events.add(event);
    if (this.#isDisposed) event.cancel(disposed());
    return event;
  }

  /**
   * Arenas by tag, for this thread and for tasks that get their `memory` among their arguments
   * (`task.tools.openArenas(memory)`). What is freed is filled in development, or where `isDevelopment` says so.
   *
   * @throws OptionError `option-unknown`, `option-out-of-range`; StateError `tasks-disposed`
   */
  arenas(options: ArenaOptions = {}): TaggedArenas {
    checkOptionNames('arenas', options, 'blockBytes, blocks, isDevelopment');
    this.#checkAlive();
    const { blockBytes = 2 ** 21, blocks = 16, isDevelopment = development.isOn } = options;
    const words = sharedArray(Int32Array, TaggedArenas.sizeFor(options));
    const arenas = new TaggedArenas({ words, blockBytes, blocks, isDevelopment });
    this.#arenas.add(arenas);
    return arenas;
  }

  /**
   * A named thread: `game` is this one, and stands for `render` and `rhi` where there are no such threads.
   * Tasks are sent there with `{ thread: 'render' }`. After a change of the engine's threads, ask again.
   *
   * @returns rejects with OptionError `option-invalid`; StateError `tasks-disposed`
   */
  async thread(name: ThreadName): Promise<NamedThread> {
    checkThreadName('thread', name);
    this.#checkAlive();
    const { threads } = this.#runner;
    await threads.whenOpen(name);
    return threads.handle(name);
  }

  /**
   * Runs tasks of this thread that wait, in this turn of the event loop, for some milliseconds.
   * @internal
   */
  runPending(): void {
    this.#runner.threads.game.runPending();
  }

  /**
   * Gives a thread its name: tasks for it go to the port, behind which `serveTasks` of a worker of this library answers.
   * @internal
   */
  attachThread(name: AttachedName, port: WorkerLike): void {
    if (!this.#isDisposed) this.#runner.threads.attach(name, port);
  }

  /** @internal The thread is gone: what it has not begun is sent on. */
  detachThread(name: AttachedName): void {
    this.#runner.threads.detach(name);
  }

  /**
   * The thread loses its name, and may live on: what it has not begun is sent on when it has answered that it begins no more, or is gone.
   * @internal
   */
  leaveThread(name: AttachedName, gone: PromiseLike<void>): Promise<void> {
    return this.#runner.threads.leave(name, gone);
  }

  /**
   * Starts a thread that a program has for itself: a module that exports `{ init, run, stop, exit }` (`Runnable`). Without workers it is
   * played on this thread, where `run` has to give the event loop turns.
   *
   * @returns when `init` has succeeded; rejects with TaskError `runnable-init-failed`, ThreadError `wait-timed-out`,
   *   OptionError
   */
  createThread(url: string | URL, options: ThreadOptions = {}): Promise<TaskThread> {
    return this.#threads.create(url, options);
  }

  /** All threads: this one, the pool's workers, named ones, runnables, and those of the engine that run no tasks. */
  threads(): ThreadInfo[] {
    return this.#threads.all();
  }

  /**
   * How much is left to do, in memory that tasks share: they get `counter.place`. Where memory is copied it counts on this thread only.
   * @throws OptionError `option-out-of-range`; StateError `tasks-disposed`
   */
  counter(count = 0): TaskCounter {
    checkWhole('The count of a counter', count, 0, 2 ** 30);
    this.#checkAlive();
    const words = sharedArray(Int32Array, TaskCounter.words);
    words[0] = count;
    this.#counterWaits.adopt(words.buffer);
    return new TaskCounter({ words, index: 0 });
  }

  /**
   * Called by `dispose`, before anything is cancelled; in the order of these calls.
   * @returns takes it back
   * @throws OptionError `option-invalid`; StateError `tasks-disposed`
   */
  onShutdown(callback: () => void): () => void {
    checkOption('The callback of onShutdown', callback, typeof callback === 'function', 'a function');
    this.#checkAlive();
    const call = (): void => callback();
    this.#shutdownCallbacks.add(call);
    return () => void this.#shutdownCallbacks.delete(call);
  }

  /**
   * Whether a worker has died in the middle of a task that had this array, or another view of its memory, among its arguments: it
   * may be half-written. Where memory is not shared the dead task's copy is gone with it, and the answer is false.
   */
  isPoisoned(array: TaskArray): boolean {
    return this.#runner.poisoned.has(array.buffer);
  }

  /** The array has been written anew: it is not poisoned any more. */
  clearPoison(array: TaskArray): void {
    this.#runner.poisoned.delete(array.buffer);
  }

  stats(): TaskStats {
    const arenas = [...this.#arenas].map((each) => each.stats());
    const { started } = this.#runner;
    const { done, failed, cancelled } = this.#settled;
    const isOver = this.#isDisposed;
    return {
      workers: this.#runner.pool.size,
      idleWorkers: this.#runner.idleCount,
      isShared: canShare(),
      pending: this.#pending.size + (isOver ? 0 : started.pending),
      done: done + started.done,
      failed: failed + started.failed,
      // What was under way at the end was called off.
      cancelled: cancelled + (isOver ? started.pending : 0),
      memory: {
        queues: this.#runner.sharedBytes,
        arenas: arenas.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
        arenasPeak: arenas.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
      },
    };
  }

  /** Ends the workers. Tasks that have not settled reject with StateError `tasks-disposed`, and so do later ones. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const callback of this.#shutdownCallbacks) {
      try {
        callback();
      } catch (error) {
        this.#host.onError(error);
      }
    }
    this.#shutdownCallbacks.clear();
    for (const future of [...this.#pending, ...this.#events]) future.cancel(disposed());
    this.#counterWaits.end(disposed());
    const threads = this.#threads.dispose();
    await this.#runner.dispose(disposed());
    await threads;
  }

  /** @internal */
  run(
    module: LoadedModule,
    name: string,
    args: unknown,
    options: RunOptions,
    call: 'run' | 'fire' = 'run',
  ): TaskFuture<unknown> {
    checkTaskOptions(call, options, call === 'run' ? RUN_OPTIONS : FIRE_OPTIONS);
    checkThread(call, options.thread, options.queue);
    findTask(module.tasks, name, module.url);
    return this.#submit(module, name, options, (future, placement) => ({
      jobs: [jobOf(module, name, args, 0, 1, future, (result) => future.resolve(result), placement)],
    }));
  }

  /** @internal */
  fire(module: LoadedModule, name: string, args: unknown, options: RunOptions): void {
    this.#checkAlive();
    this.#fire(module, name, args, options);
  }

  /** @internal */
  parallelFor(
    module: LoadedModule,
    name: string,
    count: number,
    args: unknown,
    options: ParallelForOptions,
  ): TaskFuture<void> {
    checkTaskOptions('parallelFor', options, `${TASK_OPTIONS}, batch, flags, preWork`);
    findTask(module.tasks, name, module.url);
    const { set } = placementOf(options.set ?? 'normal', 'normal', this.#host.sizes);
    const workers = this.#runner.pool.isUsable ? this.#host.sizes[set] : 0;
    const costs = this.#costs;
    const plan = planOf(count, options, workers, canShare(), costs.of(`${module.number} ${name}`));
    const { counterFor: counterOf } = this.#runner;
    const { preWork } = options;
    return this.#submit(module, name, options, (future, placement) =>
      planRanges({ module, name, args, plan, counterOf, costs, placement, future, preWork }),
    ) as TaskFuture<void>;
  }

  #checkAlive(): void {
    if (this.#isDisposed) throw disposed();
  }

  #fire(module: LoadedModule, name: string, args: unknown, options: RunOptions): TaskFuture<unknown> {
    const future = this.run(module, name, args, options, 'fire');
    future.silence();
    future.whenSettled((failure) => {
      const isTold = future.state === 'failed' || (!this.#isDisposed && isNews(failure?.reason));
      if (failure && isTold) this.#host.onError(untrackedError(future.name, failure.reason));
    });
    return future;
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
    const tasks = tasksOf(module, href);
    const loaded = { number, url: href, tasks, names: Object.keys(tasks) };
    this.#loaded.set(number, loaded);
    this.#host.rings?.know(loaded);
    return new TaskModule(this, loaded);
  }

  /** A task in a worker wants this one to be started. */
  #startFor(order: StartOrder, args: unknown): TaskFuture<unknown> {
    const { module, name, priority, set, isTracked, thread, queue } = order;
    const loaded = this.#loaded.get(module) as LoadedModule;
    const options = { priority, set, ...(thread && { thread }), ...(queue && { queue }) };
    return isTracked ? this.run(loaded, name, args, options) : this.#fire(loaded, name, args, options);
  }

  #submit(
    module: LoadedModule,
    name: string,
    {
      prerequisites = [],
      priority = 'normal',
      set = 'normal',
      signal,
      hold = false,
      triggers = [],
      thread,
      queue,
    }: RunOptions,
    jobsOf: (
      future: TaskFuture<unknown>,
      placement: TaskPlacement,
    ) => { readonly jobs: readonly Job[]; readonly begin?: () => void },
  ): TaskFuture<unknown> {
    const abort = (): void => void future.cancel(signal?.reason);
    const begin = (): void => {
      future.advance('queued');
      const placement = placementOf(set, priority, this.#host.sizes);
      const work = jobsOf(future, { ...placement, thread, queue });
      this.#runner.add(work.jobs);
      work.begin?.();
    };
    const future = new TaskFuture<unknown>(`"${name}" of ${module.url}`, begin, (state) => {
      this.#pending.delete(future);
      this.#settled[state]++;
      signal?.removeEventListener('abort', abort);
    });
    this.#pending.add(future);
    try {
      for (const each of prerequisites) {
        // One that has failed by now settles it at once, and it waits for no others.
        if (!future.isSettled) future.addPrerequisite(each);
      }
      for (const event of triggers) event.triggeredBy(future);
    } catch (circle) {
      this.#pending.delete(future);
      throw circle;
    }
    for (const event of triggers) {
      future.whenSettled((failure) => {
        if (failure) event.fail(triggerFailed(event, failure.reason));
        else event.trigger();
      });
    }
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    if (this.#isDisposed) future.cancel(disposed());
    if (!hold && !future.isSettled) future.unlock();
    return future;
  }
}

/** Of a task that nobody waits for: what it needed has failed, and was not called off. */
const isNews = (reason: unknown): boolean =>
  reason instanceof TaskError &&
  !(reason.cause instanceof DOMException && reason.cause.name === 'AbortError');
