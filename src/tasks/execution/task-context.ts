/**
 * What a task gets besides its arguments: tasks can start tasks, say how far they are, and put off their completion. The
 * fourth argument of every task, after `begin` and `end`.
 *
 *   sum({ numbers }, begin, end, task) {
 *     const half = task.run('sum', { numbers: numbers.subarray(500) });
 *     …
 *     return mine + (await half);
 *   }
 */
import { OptionError, StateError } from '../../core/errors.js';
import type { Shaped } from '../../core/options/member.js';
import { StartedTask } from '../futures/started-task.js';
import type { NamedThread } from '../named-threads/named-thread.js';
import type { QueueName, ThreadName } from '../named-threads/thread-queues.js';
import { prerequisiteFailed } from '../task-errors.js';
import { checkTaskOptions, RUN_OPTIONS } from '../task-options.js';
import type { TaskPriority } from '../task-queue.js';
import type { WorkerSet } from '../task-sets.js';
import { type TaskTools, taskTools } from './task-tools.js';
import type { ThreadLocals } from './thread-locals.js';

const START_OPTIONS = {
  priority: RUN_OPTIONS.priority,
  /** Which workers run it; default: those of the set of the task that starts it. */
  set: RUN_OPTIONS.set,
  /** It begins when all are done; if one fails, it fails with that as the cause. */
  prerequisites: RUN_OPTIONS.prerequisites,
  /** A named thread that runs it, instead of the pool. */
  thread: RUN_OPTIONS.thread,
  /** Of that thread: `main`, the default, runs by itself; `local` when somebody on the thread processes it. */
  queue: RUN_OPTIONS.queue,
};

export type StartOptions = Shaped<typeof START_OPTIONS>;

/** What a task wants to be run. */
export interface StartedOrder {
  readonly name: string;
  readonly args: unknown;
  readonly priority: TaskPriority;
  /** Undefined: that of the task which starts it. */
  readonly set: WorkerSet | undefined;
  readonly isTracked: boolean;
  readonly thread: ThreadName | undefined;
  readonly queue: QueueName | undefined;
}

/** Runs tasks for a task, wherever that one runs. */
export interface TaskStarter {
  /** Of the module whose tasks it starts. */
  readonly url: string;
  /** Checks that there is such a task. @throws TaskError `task-unknown` */
  check(name: string): void;
  begin(order: StartedOrder, started: StartedTask): void;
  /** Runs other tasks until all have settled. @throws StateError `wait-not-possible` */
  help(tasks: readonly StartedTask[]): void;
  progress(fraction: number): void;
  /** The task has ended: what it has started goes on, and a worker that dies must not take it along unseen. */
  leave?(): void;
}

export class TaskContext {
  readonly #starter: TaskStarter;
  readonly #name: string;
  /** What the task must not complete before; null: it has completed. */
  #until: PromiseLike<unknown>[] | null = [];

  /** Locks, signals and arenas in shared memory. */
  readonly tools: TaskTools = taskTools;
  /** The named thread that the task runs on; null: a worker of the pool. */
  readonly thread: NamedThread | null;

  readonly #locals: ThreadLocals;

  /** @internal */
  constructor(name: string, starter: TaskStarter, locals: ThreadLocals, thread: NamedThread | null = null) {
    this.#locals = locals;
    this.thread = thread;
    this.#name = name;
    this.#starter = starter;
  }

  /**
   * Starts a task of the same module: another worker takes it, or this one, when the task that started it awaits.
   * @throws TaskError `task-unknown`; OptionError
   */
  run<T = unknown>(name: string, args?: unknown, options: StartOptions = {}): StartedTask<T> {
    return this.#start('task.run', name, args, options, true) as StartedTask<T>;
  }

  /** The same, and nobody waits for it; if it fails, the `onError` of the task system is told. */
  fire(name: string, args?: unknown, options: StartOptions = {}): void {
    this.#start('task.fire', name, args, options, false).silence();
  }

  /**
   * The results of started tasks, without returning to the event loop: this thread runs tasks of them meanwhile, and sleeps
   * when there are none. `await` is the better way where a task can be asynchronous.
   *
   * @returns in the order of the tasks
   * @throws what a task threw, on this thread; StateError `task-not-settled` where that, or a large result, comes by message: a task
   *   that does not catch it fails with what the other one threw. StateError `wait-not-possible` on the page's thread and on a named
   *   one, without shared memory, and for a task whose own prerequisites are not done
   */
  wait<T>(...tasks: readonly StartedTask<T>[]): T[] {
    // Whatever comes of them is told here.
    for (const task of tasks) task.silence();
    for (const { isHeld, isSettled, name } of tasks) {
      if (isSettled || !isHeld) continue;
      throw new StateError(
        'wait-not-possible',
        `The task ${name} waits for others itself, which takes a turn of the event loop. Await it.`,
      );
    }
    if (tasks.some(({ isSettled }) => !isSettled)) this.#starter.help(tasks as readonly StartedTask[]);
    return tasks.map((task) => task.result);
  }

  /**
   * The task goes on as another call of itself, on whichever worker is free when what it waits for is done. Its state lies in the
   * arguments, in shared arrays best: stacks don't move. `return task.resume({ state }, counter.whenReached())`.
   */
  resume<T = unknown>(args: unknown, ...after: readonly PromiseLike<unknown>[]): StartedTask<T> {
    return this.run<T>(this.#name, args, { prerequisites: after });
  }

  /**
   * A value of this thread alone, made when a task on it asks first, and cleaned up when the thread exits.
   * @param key other tasks on this thread get the same value by it
   */
  local<T>(key: unknown, create: () => T, cleanUp?: (value: T) => void): T {
    return this.#locals.get(key, create, cleanUp);
  }

  /**
   * The task is not done before the other one is, and fails if that one does.
   * @throws StateError `task-not-running` when it has completed
   */
  doNotCompleteUntil(other: PromiseLike<unknown>): void {
    if (!this.#until) {
      throw new StateError('task-not-running', `The task ${this.#name} has completed already.`);
    }
    this.#until.push(other);
  }

  /** Says how far the task is. @param fraction from 0 to 1 @throws OptionError `option-out-of-range` */
  progress(fraction: number): void {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new OptionError(
        'option-out-of-range',
        `The progress of the task ${this.#name} is ${String(fraction)}; it has to be from 0 to 1.`,
      );
    }
    this.#starter.progress(fraction);
  }

  /** @internal The task has returned. @returns what is to be awaited before it is done; undefined: nothing */
  finish(): Promise<unknown> | undefined {
    const until = this.#until ?? [];
    if (until.length === 0) {
      this.#until = null;
      return undefined;
    }
    this.#until = [];
    return Promise.all(until).then(
      () => this.finish(),
      (cause) => {
        throw prerequisiteFailed({ name: `"${this.#name}"` }, cause);
      },
    );
  }

  #start(call: string, name: string, args: unknown, options: StartOptions, isTracked: boolean): StartedTask {
    checkTaskOptions(call, options, START_OPTIONS);
    const { priority = 'normal', set, prerequisites = [], thread, queue } = options;
    this.#starter.check(name);
    const started = new StartedTask(`"${name}" of ${this.#starter.url}`);
    const begin = (): void => {
      started.isHeld = false;
      try {
        this.#starter.begin({ name, args, priority, set, isTracked, thread, queue }, started);
      } catch (error) {
        started.fail(error);
      }
    };
    if (prerequisites.length === 0) begin();
    else {
      started.isHeld = true;
      Promise.all(prerequisites).then(begin, (cause) => started.fail(prerequisiteFailed(started, cause)));
    }
    return started;
  }
}
