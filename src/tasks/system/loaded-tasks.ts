import { withDeadline } from '../../sync/deadline.js';
import type { TaskTable } from '../execution/task-context.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { LoadedModule } from '../job.js';
import type { TaskHost } from '../page/task-host.js';
import { loadFailed } from '../task-errors.js';
import { tasksOf, type UntypedTasks } from '../task-module.js';
import type { BroadcastOptions, ParallelForOptions, RunOptions } from '../task-options.js';
import type { WorkerSet } from '../task-sets.js';
import type { TaskCalls } from './task-calls.js';
import type { TaskSystem } from './task-system.js';

/** The tasks of one module, ready to be run. */
export class TaskModule<Tasks extends TaskTable = UntypedTasks> {
  readonly url: string;
  readonly #system: TaskSystem;
  readonly #calls: TaskCalls;
  readonly #module: LoadedModule;

  /** @internal Use `tasks.load()`. */
  constructor(system: TaskSystem, calls: TaskCalls, module: LoadedModule) {
    this.#system = system;
    this.#calls = calls;
    this.#module = module;
    this.url = module.url;
  }

  /** The task system that has loaded the module. */
  get system(): TaskSystem {
    return this.#system;
  }

  /** Names of the tasks. */
  get names(): readonly string[] {
    return Object.keys(this.#module.tasks);
  }

  /**
   * Runs a task on an idle worker, or queues it.
   *
   * @param args read once the prerequisites are done, at the latest when the task begins. Plain data is copied, and
   *   shared arrays are shared
   * @returns rejects with the task's error; TaskError `prerequisite-failed`, `task-arguments-refused`,
   *   `task-result-refused`, `task-module-failed`; ThreadError `task-worker-died`; StateError `tasks-disposed`
   * @throws TaskError `task-unknown`, `task-cycle`; OptionError
   */
  run<Name extends keyof Tasks & string>(
    name: Name,
    args?: Parameters<Tasks[Name]>[0],
    options: RunOptions = {},
  ): TaskFuture<Awaited<ReturnType<Tasks[Name]>>> {
    return this.#calls.run(this.#module, name, args, options) as TaskFuture<Awaited<ReturnType<Tasks[Name]>>>;
  }

  /**
   * @internal Runs a task of the engine that serves ports. The task occupies its worker until it ends. @throws as `run`
   */
  serve(name: keyof Tasks & string, ports: Readonly<Record<string, MessagePort>>, set: WorkerSet) {
    return this.#calls.serve(this.#module, name, ports, set);
  }

  /**
   * Runs a task without a future. If it fails, the task system's `onError` gets the error.
   *
   * @throws as `run`; StateError `tasks-disposed`
   */
  fire<Name extends keyof Tasks & string>(
    name: Name,
    args?: Parameters<Tasks[Name]>[0],
    options: Omit<RunOptions, 'hold' | 'deferred'> = {},
  ): void {
    this.#calls.fire(this.#module, name, args, options);
  }

  /**
   * Runs a task once on each worker, for example to compile WebAssembly before the first frame needs it. Starts the
   * workers that are not running. Without workers the task runs once, on this thread. Workers that start later do not
   * run it.
   *
   * @returns a list with the result of each worker; rejects with the first error
   * @throws TaskError `task-unknown`, `task-cycle`; OptionError
   */
  broadcast<Name extends keyof Tasks & string>(
    name: Name,
    args?: Parameters<Tasks[Name]>[0],
    options: BroadcastOptions = {},
  ): TaskFuture<Awaited<ReturnType<Tasks[Name]>>[]> {
    return this.#calls.broadcast(this.#module, name, args, options) as TaskFuture<
      Awaited<ReturnType<Tasks[Name]>>[]
    >;
  }

  /**
   * Runs a task over all indices from 0 to `count` − 1, as `task(args, begin, end)`, on all workers of the set. The
   * order and the ranges are not defined. A task that writes only the data of its own indices always has the same
   * results.
   *
   * @param count from 0 to 2³⁰
   * @returns as `run`; the first error ends the loop, and skips all ranges that have not begun
   * @throws TaskError `task-unknown`, `task-cycle`; OptionError
   */
  parallelFor<Name extends keyof Tasks & string>(
    name: Name,
    count: number,
    args?: Parameters<Tasks[Name]>[0],
    options: ParallelForOptions = {},
  ): TaskFuture<void> {
    return this.#calls.parallelFor(this.#module, name, count, args, options);
  }
}

/** Longest time for a task module to be fetched and evaluated, in milliseconds. */
const LOAD_LIMIT = 30_000;

/**
 * The task modules that this thread has loaded. Each address is loaded once and gets a number, by which tasks start
 * other tasks of the module.
 */
export class ModuleLoads<Module> {
  readonly #host: Pick<TaskHost, 'importModule' | 'rings'>;
  readonly #make: (module: LoadedModule) => Module;
  readonly #loading = new Map<string, Promise<Module>>();
  readonly #loaded = new Map<number, LoadedModule>();
  #next = 0;

  /** @param make creates the result of `load` for a loaded module */
  constructor(host: Pick<TaskHost, 'importModule' | 'rings'>, make: (module: LoadedModule) => Module) {
    this.#host = host;
    this.#make = make;
  }

  /**
   * Loads a module. @returns a promise that rejects with TaskError `task-module-failed`, `task-module-empty`
   */
  load(href: string): Promise<Module> {
    let loading = this.#loading.get(href);
    if (!loading) {
      loading = this.#load(href, this.#next++);
      this.#loading.set(href, loading);
      loading.catch(() => this.#loading.delete(href)); // the next call tries again
    }
    return loading;
  }

  /** Returns the loaded module with this number. */
  find(number: number): LoadedModule {
    return this.#loaded.get(number) as LoadedModule;
  }

  async #load(href: string, number: number): Promise<Module> {
    const importing = withDeadline(this.#host.importModule(href), {
      milliseconds: LOAD_LIMIT,
      waiter: 'tasks.load()',
      awaited: href,
    });
    const module = await importing.catch((cause) => {
      throw loadFailed(href, 'the page', cause);
    });
    const tasks = tasksOf(module, href);
    const loaded = { number, url: href, tasks, names: Object.keys(tasks) };
    this.#loaded.set(number, loaded);
    this.#host.rings?.register(loaded);
    return this.#make(loaded);
  }
}
