/**
 * A task module is an ES module that the page and every worker load by its address. It is a static table of functions,
 * so no code is sent as text or compiled at run time.
 */
import { TaskError } from '../core/errors.js';

/** Imports the module at this address, and returns its exports. */
export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** A task without a type for its argument. The task itself must check the argument. */
export type CallableTask = (args: unknown, begin: number, end: number) => unknown;

/** The tasks of a module that is loaded without a type for its tasks. */
export type UntypedTasks = Readonly<Record<string, CallableTask>>;

/** Returns the tasks that a module exports, by name. @throws TaskError `task-module-empty` */
export function tasksOf(module: Readonly<Record<string, unknown>>, url: string): UntypedTasks {
  const { default: table, ...named } = module;
  const isTable = typeof table === 'object' && table !== null;
  const tasks = Object.entries(isTable ? table : named).filter(([, task]) => typeof task === 'function');
  if (tasks.length === 0) {
    throw new TaskError(
      'task-module-empty',
      `${url} exports no tasks. Export them: \`export default defineTasks({ … })\`.`,
    );
  }
  return Object.fromEntries(tasks) as UntypedTasks;
}

/** Returns the task with this name. @throws TaskError `task-unknown` */
export function findTask(tasks: UntypedTasks, name: string, url: string): CallableTask {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (task) return task;
  throw new TaskError(
    'task-unknown',
    `${url} has no task "${String(name)}". It has ${Object.keys(tasks).join(', ')}.`,
  );
}

/** A module of tasks on one thread. A task's number is its index in `names`. */
export interface WorkerModule {
  readonly number: number;
  readonly url: string;
  readonly names: readonly string[];
  readonly tasks: UntypedTasks;
}

/** Address and number of a module, with the names of the tasks that the page has found in it. */
export type ModuleAddress = Omit<WorkerModule, 'tasks'>;

/**
 * The modules of one worker. The page sends the addresses, and the worker loads a module before the module's first
 * task.
 */
export class WorkerModules {
  readonly #importModule: ImportModule;
  readonly #addresses = new Map<number, ModuleAddress>();
  readonly #awaited = new Map<number, () => void>();
  readonly #loading = new Map<number, Promise<WorkerModule>>();
  readonly #loaded = new Map<number, WorkerModule>();

  constructor(importModule: ImportModule) {
    this.#importModule = importModule;
  }

  add(address: ModuleAddress): void {
    this.#addresses.set(address.number, address);
    this.#awaited.get(address.number)?.();
  }

  urlOf(number: number): string {
    return this.#addresses.get(number)?.url ?? '';
  }

  get(number: number): WorkerModule | undefined {
    return this.#loaded.get(number);
  }

  /**
   * Loads a module once.
   * @returns a promise that rejects with TaskError `task-module-failed`, `task-module-empty`, `task-module-differs`, or
   *   the import's error
   */
  load(number: number): Promise<WorkerModule> {
    let loading = this.#loading.get(number);
    if (!loading) {
      loading = this.#load(number);
      this.#loading.set(number, loading);
      loading.catch(() => this.#loading.delete(number)); // the next call tries again
    }
    return loading;
  }

  async #load(number: number): Promise<WorkerModule> {
    // A job in shared memory can arrive before the message with the module's address.
    if (!this.#addresses.has(number))
      await new Promise<void>((resolve) => this.#awaited.set(number, resolve));
    this.#awaited.delete(number);
    const address = this.#addresses.get(number) as ModuleAddress;
    const tasks = tasksOf(await this.#importModule(address.url), address.url);
    const names = Object.keys(tasks);
    if (names.join('\n') !== address.names.join('\n')) {
      throw new TaskError(
        'task-module-differs',
        `${address.url} has the tasks ${names.join(', ')} in a worker, and ${address.names.join(', ')} on the page: these are two versions. Put the version into its address, or disable caching for it.`,
      );
    }
    const module = { ...address, tasks };
    this.#loaded.set(number, module);
    return module;
  }
}
