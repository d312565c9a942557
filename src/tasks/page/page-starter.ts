import { StateError } from '../../core/errors.js';
import {
  applyChanges,
  type CopiedMemories,
  changesOf,
  unpackArguments,
} from '../arguments/task-arguments.js';
import type { StartedOrder, TaskStarter } from '../execution/task-context.js';
import type { StartedTask } from '../futures/started-task.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { LoadedModule } from '../job.js';
import { failureOf } from '../task-errors.js';
import type { StartOrder, TaskNotice, WorkerNotice } from '../task-messages.js';
import { findTask } from '../task-module.js';
import type { WorkerSet } from '../task-sets.js';
import type { PoolWorker } from './pool-worker.js';

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

/**
 * Starts tasks for workers: a worker's task requests a start by message (`message-starter.ts`). The page runs the new
 * task as its own, and reports its end to the worker.
 *
 *   worker ═ start, with copies of its arrays ═► a task of the page ─► result and changes ═► worker
 *                                                        └─ changes of the page's memory are written there at once
 */
interface StartsForWorkersHost {
  readonly startFor: StartFor;
  readonly copied: CopiedMemories;
  readonly announceMail: (worker: PoolWorker) => void;
  readonly isDisposed: () => boolean;
}

export class StartsForWorkers {
  readonly #host: StartsForWorkersHost;

  constructor(host: StartsForWorkersHost) {
    this.#host = host;
  }

  async start(worker: PoolWorker, notice: Extract<WorkerNotice, { kind: 'start' }>): Promise<void> {
    const { startFor, copied, announceMail, isDisposed } = this.#host;
    const { started, packed, args } = notice;
    const copies = packed?.copies ?? [];
    const before = copies.map((copy) => copy.slice(0));
    const tell = (answer: Extract<TaskNotice, { kind: 'startEnded' }>['answer']): void => {
      const changes = changesOf(copies, before);
      // Write changes of the page's memory now, and not only when the starting task ends.
      for (const [index, source] of (packed?.sources ?? []).entries()) {
        const memory = copied.find(source);
        if (memory)
          applyChanges(
            [memory],
            changes.filter(({ buffer }) => buffer === index).map((each) => ({ ...each, buffer: 0 })),
          );
      }
      if (!notice.isTracked || isDisposed()) return;
      worker.tell({ kind: 'startEnded', started, changes, answer });
      announceMail(worker);
    };
    if (notice.isTracked) worker.awaited++;
    try {
      const future = startFor(notice, packed ? unpackArguments(packed) : args);
      const result = await future;
      tell({ kind: 'done', result, changes: [] });
    } catch (thrown) {
      tell({ kind: 'failed', ...failureOf(thrown), changes: [] });
    }
    if (notice.isTracked) worker.awaited--;
  }
}
