/** Runs jobs on this thread: jobs that were sent to the game thread, and all jobs if there are no workers. */
import { StateError } from '../../core/errors.js';
import { TimelineEvent } from '../../core/events/event-ring.js';
import {
  applyChanges,
  type CopiedMemories,
  changesOf,
  cloneArguments,
  unpackArguments,
} from '../arguments/task-arguments.js';
import { callTask, runBody } from '../execution/run-body.js';
import { takeRanges, turnsOfLoop } from '../execution/take-ranges.js';
import { type StartedOrder, TaskContext, type TaskStarter, ThreadLocals } from '../execution/task-context.js';
import type { StartedTask } from '../futures/started-task.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { Job, LoadedModule } from '../job.js';
import type { NamedThread } from '../named-threads/thread-queues.js';
import { argumentsRefused, failureOf, isRefused, resultRefused } from '../task-errors.js';
import type { StartOrder, TaskNotice, WorkerNotice } from '../task-messages.js';
import { findTask } from '../task-module.js';
import { type TaskRings, taskNumberOf } from '../task-rings.js';
import type { WorkerSet } from '../task-sets.js';
import type { PoolWorker } from './pool-worker.js';

export class PageJobs {
  readonly #startFor: StartFor;
  readonly #rings: TaskRings | undefined;
  readonly #locals = new ThreadLocals();

  /** @param rings records the jobs and their times for the timeline */
  constructor(startFor: StartFor, rings: TaskRings | undefined) {
    this.#startFor = startFor;
    this.#rings = rings;
  }

  /** Runs a job, up to its first promise. @param thread handle of the game thread if the job was sent to it */
  run(job: Job, thread: NamedThread | null): void {
    const { module, name, args, begin, end, ranges, future, target } = job;
    future.advance('running');
    try {
      const task = findTask(module.tasks, name, module.url) as (...call: unknown[]) => unknown;
      const starter = new PageStarter(module, future, target.set, this.#startFor);
      const context = new TaskContext(name, starter, this.#locals, thread);
      const given = argumentsFor(future, args);
      const call = (...of: [unknown, number, number]): unknown => callTask(task, ...of, context);
      const endIfOver = (): void => {
        if (job.isOver)
          throw new StateError('task-over', 'The task has settled, so the rest of its range is not run.');
      };
      // Other jobs run while the task awaits, because it may wait for tasks that it has started.
      void runBody(
        () => (ranges ? takeRanges(call, given, ranges, turnsOfLoop(endIfOver)) : call(given, begin, end)),
        context,
        {
          ran: (began, ended) => {
            const indices = ranges ? 0 : end - begin;
            this.#rings?.own.add(TimelineEvent.task, taskNumberOf(module, name), began, ended, indices);
          },
          done: (result, milliseconds) => job.onDone(cloneResult(future, result), milliseconds),
          failed: (error) => void future.fail(error),
        },
      );
    } catch (error) {
      future.fail(error);
    }
  }

  /** Cleans up the thread's locals. Call it after the last job. */
  cleanUp(onError: (error: unknown) => void): void {
    this.#locals.clear(onError);
  }
}

/** @throws TaskError `task-arguments-refused` */
function argumentsFor(future: TaskFuture<unknown>, args: unknown): unknown {
  try {
    return cloneArguments(args);
  } catch (error) {
    throw isRefused(error) ? argumentsRefused(future, error) : error;
  }
}

/** @throws TaskError `task-result-refused` */
function cloneResult({ name }: TaskFuture<unknown>, result: unknown): unknown {
  try {
    return structuredClone(result);
  } catch (cause) {
    throw resultRefused(`the task ${name}`, cause);
  }
}

/** Starts a task on behalf of another task. */
export type StartFor = (order: StartOrder, args: unknown) => TaskFuture<unknown>;

/** Starts tasks on behalf of a task on the page's thread, in the same way as the page itself does. */
class PageStarter implements TaskStarter {
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

interface StartsForWorkersHost {
  readonly startFor: StartFor;
  readonly copied: CopiedMemories;
  readonly announceMail: (worker: PoolWorker) => void;
  readonly isDisposed: () => boolean;
}

/**
 * Starts tasks for workers. A worker's task requests a start by message (`message-starter.ts`). The page runs the new
 * task as its own, and reports the end of the task to the worker.
 *
 *   worker ═ start, with copies of its arrays ═► a task of the page ─► result and changes ═► worker
 *                                                        └─ changes of the page's memory are written there at once
 */
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
