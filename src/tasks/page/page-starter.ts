import { StateError } from '../../core/errors.js';
import type { StartedOrder, TaskStarter } from '../execution/task-context.js';
import type { StartedTask } from '../futures/started-task.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { LoadedModule } from '../job.js';
import type { StartOrder } from '../task-messages.js';
import { findTask } from '../task-module.js';
import type { WorkerSet } from '../task-sets.js';

/** Starts a task on behalf of another task. */
export type StartFor = (order: StartOrder, args: unknown) => TaskFuture<unknown>;

/** Starts tasks on behalf of a task on the page's thread, in the same way as the page itself does. */
export class PageStarter implements TaskStarter {
  readonly #module: LoadedModule;
  readonly #future: TaskFuture<unknown>;
  readonly #startFor: StartFor;
  readonly #set: WorkerSet;

  /** @param set worker set of the starting task */
  constructor(module: LoadedModule, future: TaskFuture<unknown>, set: WorkerSet, startFor: StartFor) {
    this.#set = set;
    this.#module = module;
    this.#future = future;
    this.#startFor = startFor;
  }

  get url(): string {
    return this.#module.url;
  }

  check(name: string): void {
    findTask(this.#module.tasks, name, this.#module.url);
  }

  begin({ set = this.#set, ...order }: StartedOrder, started: StartedTask): void {
    const module = this.#module.number;
    this.#startFor({ module, set, ...order }, order.args).then(
      (value) => started.resolve(value),
      (error) => started.fail(error),
    );
  }

  help(): void {
    throw new StateError(
      'wait-not-possible',
      'The page’s thread never blocks, and this task runs on it. Await the tasks.',
    );
  }

  progress(fraction: number): void {
    this.#future.setProgress(fraction);
  }
}
