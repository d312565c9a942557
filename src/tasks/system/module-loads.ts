/**
 * The task modules that this thread has loaded. Each address is loaded once and gets a number, by which tasks start
 * other tasks of the module.
 */
import { withDeadline } from '../../sync/deadline.js';
import type { LoadedModule } from '../job.js';
import type { TaskHost } from '../page/task-host.js';
import { loadFailed } from '../task-errors.js';
import { tasksOf } from '../task-module.js';

/** Longest time for a task module to be fetched and evaluated, in milliseconds. */
const LOAD_LIMIT = 30_000;

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
    this.#host.rings?.know(loaded);
    return this.#make(loaded);
  }
}
