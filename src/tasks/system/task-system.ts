/**
 * The task system: runs functions of modules on a pool of workers, in an order that prerequisites define (SYSTEMS
 * T1–T12).
 *
 *   module.run, parallelFor ─► TaskFuture ─ unlocked, prerequisites are done ─► JobRunner ─► a worker, or this thread
 *                                  ▲                                               │
 *                                  └──────────── result, or error ◄────────────────┘
 *
 * The page's thread never blocks: code there awaits promises.
 */
import { arenaWords, TaggedArenas } from '../../core/memory/tagged-arenas.js';
import { checkOption, checkOptions } from '../../core/options/check-options.js';
import { checkChoice } from '../../core/options/check-value.js';
import { canShare, sharedArray, type TaskArray } from '../arguments/shared-array.js';
import { CounterWaits, TaskCounter } from '../blocking/task-counter.js';
import type { TaskTable } from '../execution/task-context.js';
import { TaskEvent } from '../futures/task-event.js';
import type { TaskFuture } from '../futures/task-future.js';
import { settleTogether } from '../futures/task-gate.js';
import { type NamedThread, THREAD_NAMES, type ThreadName } from '../named-threads/thread-queues.js';
import { JobRunner } from '../page/job-runner.js';
import type { AttachedName } from '../page/named-threads.js';
import type { WorkerLike } from '../page/pool-worker.js';
import { type TaskHost, withGuardedErrors } from '../page/task-host.js';
import type { TaskThread, ThreadOptions } from '../runnable/task-thread.js';
import type { TaskMemory } from '../shared-memory/task-memory.js';
import type { ResidentLoopSource } from '../shared-memory/worker-loop.js';
import { disposed } from '../task-errors.js';
import type { StartOrder } from '../task-messages.js';
import type { UntypedTasks } from '../task-module.js';
import { addressOf, checkWhole } from '../task-options.js';
import { ARENA_OPTIONS, type ArenaOptions } from './arena-options.js';
import { ModuleLoads, TaskModule } from './loaded-tasks.js';
import { SubmittedTasks, TaskCalls } from './task-calls.js';
import { type ThreadInfo, ThreadList } from './thread-list.js';

export class TaskSystem {
  readonly #host: TaskHost;
  readonly #runner: JobRunner;
  readonly #threads: ThreadList;
  readonly #modules: ModuleLoads<TaskModule<TaskTable>>;
  readonly #tasks: SubmittedTasks;
  readonly #calls: TaskCalls;
  readonly #events = new Set<{ cancel(reason: unknown): boolean }>();
  readonly #counterWaits = new CounterWaits();
  readonly #arenas = new Set<TaggedArenas>();
  readonly #shutdownCallbacks = new Set<() => void>();
  #isDisposed = false;
  #disposal: Promise<void> | undefined;

  /** @internal Use `createTaskSystem`. */
  constructor(given: TaskHost) {
    const host = withGuardedErrors(given);
    this.#host = host;
    this.#runner = new JobRunner(host, (order, args) => this.#startFor(order, args));
    this.#threads = new ThreadList(host, this.#runner);
    const isDisposed = (): boolean => this.#isDisposed;
    this.#tasks = new SubmittedTasks(this.#runner, host.sizes, isDisposed);
    this.#calls = new TaskCalls({ host, runner: this.#runner, tasks: this.#tasks, isDisposed });
    this.#modules = new ModuleLoads(host, (module) => new TaskModule(this, this.#calls, module));
  }

  /**
   * Loads a task module on this thread. Each worker loads it before it runs the module's first task.
   *
   * @param url resolved against the document
   * @returns rejects with TaskError `task-module-failed`, `task-module-empty`; OptionError `option-invalid`; StateError
   *   `tasks-disposed`
   */
  async load<Tasks extends TaskTable = UntypedTasks>(url: string | URL): Promise<TaskModule<Tasks>> {
    this.#checkAlive();
    return this.#modules.load(addressOf('load', url)) as Promise<TaskModule<Tasks>>;
  }

  /**
   * Creates an event. `trigger()` or the end of a task triggers it, and tasks can name it as a prerequisite. It is also
   * a promise with its resolver: `tasks.event<number>('answer').trigger(42)`.
   *
   * @param name name for messages
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
   * Creates arenas, for this thread and for tasks that get their `memory` as an argument
   * (`task.tools.openArenas(memory)`). Freed blocks are filled with `isDevelopment`, the default in development
   * builds.
   *
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`; StateError `tasks-disposed`
   */
  arenas(options: ArenaOptions = {}): TaggedArenas {
    this.#checkAlive();
    checkOptions('arenas', options, ARENA_OPTIONS);
    const {
      blockBytes = 2 ** 21,
      blocks = 16,
      isDevelopment = globalThis.FENCEPOST_DEVELOPMENT === true,
    } = options;
    const words = sharedArray(Int32Array, arenaWords(blockBytes, blocks));
    const arenas = new TaggedArenas({ words, blockBytes, blocks, isDevelopment });
    this.#arenas.add(arenas);
    return arenas;
  }

  /**
   * Returns a named thread. `game` is this thread, and replaces `render` and `rhi` if there are no such threads. Tasks
   * are sent to it with `{ thread: 'render' }`. Call this method again after a change of the engine's threads.
   *
   * @returns rejects with OptionError `option-invalid`; StateError `tasks-disposed`
   */
  async thread(name: ThreadName): Promise<NamedThread> {
    checkChoice('thread', 'name', name, THREAD_NAMES);
    this.#checkAlive();
    const { threads } = this.#runner;
    await threads.whenOpen(name);
    return threads.handle(name);
  }

  /**
   * Runs pending tasks of this thread in this turn of the event loop, for some milliseconds.
   * @internal
   */
  runPending(): void {
    this.#runner.threads.game.runPending();
  }

  /**
   * Gives a name to a thread: tasks for the name are sent to the port, which `serveTasks` serves on that thread.
   * @internal
   */
  attachThread(name: AttachedName, port: WorkerLike): void {
    if (!this.#isDisposed) this.#runner.threads.attach(name, port);
  }

  /** @internal The memory that the pool's threads share; `null` without shared memory or workers. */
  get memory(): TaskMemory | null {
    return this.#runner.memory;
  }

  /**
   * @internal Makes the pool take part in a loop of another thread (`shared-memory/worker-loop.ts`). `null` ends the
   *   loop.
   */
  reside(source: ResidentLoopSource | null): void {
    this.#runner.reside(source);
  }

  /** @internal Largest number of workers that take part in a resident loop. */
  get residentCount(): number {
    return this.#runner.residentCount;
  }

  /** @internal Forwards a message of the resident loop's thread to the workers that take part. */
  tellResidents(message: unknown): void {
    this.#runner.tellResidents(message);
  }

  /** @internal Removes a thread that has ended. Tasks that it has not begun are sent to another thread. */
  detachThread(name: AttachedName): void {
    this.#runner.threads.detach(name);
  }

  /**
   * Detaches a thread that may continue to run. Its tasks that have not begun are sent to another thread. This happens
   * once the detached thread has ended, or has confirmed that it begins no more tasks.
   * @internal
   */
  leaveThread(name: AttachedName, gone: PromiseLike<void>): Promise<void> {
    return this.#runner.threads.leave(name, gone);
  }

  /**
   * Starts a thread for a module that exports `{ init, run, stop, exit }` (`Runnable`). Without workers it runs on this
   * thread, and its `run` must return to the event loop regularly.
   *
   * @returns resolves when `init` has succeeded; rejects with TaskError `runnable-init-failed`,
   *   `task-arguments-refused`; ThreadError `wait-timed-out`, `task-worker-died`; OptionError; StateError
   *   `tasks-disposed`
   */
  createThread(url: string | URL, options: ThreadOptions = {}): Promise<TaskThread> {
    return this.#threads.create(url, options);
  }

  /**
   * Lists all threads: this thread, pool workers, named threads, runnables, and threads of the engine without tasks.
   */
  threads(): ThreadInfo[] {
    return this.#threads.all();
  }

  /**
   * Creates a counter of remaining work, in memory that tasks share: pass them `counter.place`. Without shared memory
   * only this thread can use it.
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
   * Registers a callback for `dispose`, which calls it before it cancels any task. Callbacks run in the order of
   * registration.
   * @returns a function that removes the callback
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
   * Returns whether the array may be half-written. This happens if a worker dies during a task, or a thread of
   * `createThread` dies or is killed, whose arguments contain a view of the array's memory. Always false without shared
   * memory, because the copy of a dead thread is lost.
   */
  isPoisoned(array: TaskArray): boolean {
    return this.#runner.poisoned.has(array.buffer);
  }

  /** Marks the array as not poisoned any more, after the program has written it again. */
  clearPoison(array: TaskArray): void {
    this.#runner.poisoned.delete(array.buffer);
  }

  stats(): TaskStats {
    const arenas = [...this.#arenas].map((each) => each.stats());
    const { started } = this.#runner;
    const { done, failed, cancelled } = this.#tasks.settled;
    const isOver = this.#isDisposed;
    return {
      workers: this.#runner.pool.size,
      idleWorkers: this.#runner.idleCount,
      isShared: canShare(),
      merged: this.#runner.merged,
      pending: this.#tasks.pending + (isOver ? 0 : started.pending),
      done: done + started.done,
      failed: failed + started.failed,
      // The end of the system has cancelled tasks that were in flight.
      cancelled: cancelled + (isOver ? started.pending : 0),
      memory: {
        queues: this.#runner.sharedBytes,
        arenas: arenas.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
        arenasPeak: arenas.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
      },
    };
  }

  /** @internal Bytes of queues and arenas, used or not. */
  get allocatedBytes(): number {
    let bytes = this.#runner.sharedBytes;
    for (const { memory } of this.#arenas) bytes += memory.words.byteLength;
    return bytes;
  }

  /**
   * Ends the workers, and stops the threads of `createThread`. Unsettled and later tasks reject with StateError
   * `tasks-disposed`.
   * @returns resolves when all threads have ended
   */
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
    settleTogether(() => {
      this.#tasks.cancel(disposed());
      for (const event of [...this.#events]) event.cancel(disposed());
    });
    this.#counterWaits.end(disposed());
    const threads = this.#threads.dispose();
    await this.#runner.dispose(disposed());
    await threads;
  }

  #checkAlive(): void {
    if (this.#isDisposed) throw disposed();
  }

  /** Starts a task on behalf of another task. */
  #startFor(order: StartOrder, args: unknown): TaskFuture<unknown> {
    const { module, name, priority, set, isTracked, thread, queue, loop } = order;
    const loaded = this.#modules.find(module);
    if (loop) {
      const { count, batch, flags } = loop;
      const options = { priority, set, flags, ...(batch === undefined ? {} : { batch }) };
      return this.#calls.parallelFor(loaded, name, count, args, options) as TaskFuture<unknown>;
    }
    const options = { priority, set, ...(thread && { thread }), ...(queue && { queue }) };
    return this.#calls[isTracked ? 'run' : 'runUntracked'](loaded, name, args, options);
  }
}

export interface TaskStats {
  /** Number of live workers. The pool starts workers when needed, and ends them after a long idle time. */
  readonly workers: number;
  readonly idleWorkers: number;
  /** Whether memory is shared with the workers. Otherwise it is copied. */
  readonly isShared: boolean;
  /** Number of tasks that have not settled. */
  readonly pending: number;
  /** Number of tasks that have ended with a result. */
  readonly done: number;
  /** Number of tasks that have ended with an error. */
  readonly failed: number;
  readonly cancelled: number;
  /**
   * Number of small tasks that have run together with other tasks. Tasks of one function that wait behind each other
   * are merged under three conditions: memory is shared, the function takes less than 0.05 ms, and it does not use its
   * context.
   */
  readonly merged: number;
  /** Sizes in bytes. */
  readonly memory: {
    /** Queues and slots that the threads share; 0 without shared memory. */
    readonly queues: number;
    /** Blocks of all arenas that are in use now. */
    readonly arenas: number;
    /** Sum of the largest sizes of all arenas so far. */
    readonly arenasPeak: number;
  };
}
