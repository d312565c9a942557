/**
 * The context of a task: the fourth argument of every task, after `begin` and `end`. A task uses it to start tasks,
 * report progress, and delay its own completion.
 *
 *   async sum({ numbers }, begin, end, task) {
 *     const half = task.run('sum', { numbers: numbers.subarray(500) });
 *     …
 *     return mine + (await half);
 *   }
 */
import { OptionError, StateError, TaskError } from '../../core/errors.js';
import type { Shaped } from '../../core/options/member.js';
import { StartedTask } from '../futures/started-task.js';
import type { NamedThread, QueueName, ThreadName } from '../named-threads/thread-queues.js';
import { prerequisiteFailed } from '../task-errors.js';
import {
  checkTaskOptions,
  checkWhole,
  MAXIMUM_COUNT,
  RUN_OPTIONS,
  readFlags,
  STARTED_LOOP_OPTIONS,
  type StartedLoop,
  type StartedLoopOptions,
} from '../task-options.js';
import type { TaskPriority } from '../task-queue.js';
import type { WorkerSet } from '../task-sets.js';
import { type TaskTools, taskTools } from './task-tools.js';

const START_OPTIONS = {
  priority: RUN_OPTIONS.priority,
  /** Set of workers that runs the task. Default: the set of the task that starts it. */
  set: RUN_OPTIONS.set,
  /**
   * Promises, futures or events that must be done before the task begins. If one fails, the task fails with that
   * failure as the cause.
   */
  prerequisites: RUN_OPTIONS.prerequisites,
  /** Named thread that runs the task instead of the pool. */
  thread: RUN_OPTIONS.thread,
  /**
   * Queue of the named thread. The thread runs tasks in `main`, the default, automatically. Tasks in `local` run when
   * code on the thread processes the queue.
   */
  queue: RUN_OPTIONS.queue,
};

export type StartOptions = Shaped<typeof START_OPTIONS>;

/** A task that another task starts. */
export interface StartedOrder {
  readonly name: string;
  readonly args: unknown;
  readonly priority: TaskPriority;
  /** Set of workers that runs the task; undefined means the set of the task that starts it. */
  readonly set: WorkerSet | undefined;
  readonly isTracked: boolean;
  readonly thread: ThreadName | undefined;
  readonly queue: QueueName | undefined;
  /** Given only for a loop. The thread that owns the task system splits the loop's range. */
  readonly loop?: StartedLoop | undefined;
}

/** Starts tasks on behalf of a running task. There is an implementation for each kind of thread. */
export interface TaskStarter {
  /** Address of the module whose tasks this object starts. */
  readonly url: string;
  /** Checks that the module has this task. @throws TaskError `task-unknown` */
  check(name: string): void;
  begin(order: StartedOrder, started: StartedTask): void;
  /** Runs other tasks until all of `tasks` have settled. @throws StateError `wait-not-possible` */
  help(tasks: readonly StartedTask[]): void;
  progress(fraction: number): void;
  /**
   * Called when the task has ended. The tasks that it has started continue. If they are lost with a dying worker, the
   * starter must report the loss.
   */
  leave?(): void;
}

export class TaskContext {
  readonly #starter: TaskStarter;
  readonly #name: string;
  /** Promises that must settle before the task completes; `null` once it has completed. */
  #until: PromiseLike<unknown>[] | null = [];

  /** Locks, signals and arenas in shared memory, and the engine's fences. */
  readonly tools: TaskTools = taskTools;
  /** The named thread that the task runs on; `null` on a pool worker. */
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
   * Starts a task of the same module. Another worker runs it, or this worker during an `await` or a `wait`.
   * @throws TaskError `task-unknown`; OptionError
   */
  run<T = unknown>(name: string, args?: unknown, options: StartOptions = {}): StartedTask<T> {
    checkTaskOptions('task.run', options, START_OPTIONS);
    return this.#start(name, args, options, true) as StartedTask<T>;
  }

  /** Starts a task without waiting for it. If it fails, the task system's `onError` gets the error. */
  fire(name: string, args?: unknown, options: StartOptions = {}): void {
    checkTaskOptions('task.fire', options, START_OPTIONS);
    this.#start(name, args, options, false).silence();
  }

  /**
   * Runs a task of the same module over all indices from 0 to `count` − 1, as `parallelFor` of a loaded module does
   * (SYSTEMS T4). The thread that owns the task system splits the range, and its answer comes by message. So `await`
   * the result; `wait` throws `wait-not-possible`.
   * @param options with the flag `pump`, a named thread runs the tasks of its local queue until the loop has ended
   * @throws TaskError `task-unknown`; OptionError
   */
  parallelFor(
    name: string,
    count: number,
    args?: unknown,
    options: StartedLoopOptions = {},
  ): StartedTask<void> {
    checkTaskOptions('task.parallelFor', options, STARTED_LOOP_OPTIONS);
    checkWhole('The count of task.parallelFor', count, 0, MAXIMUM_COUNT);
    const { batch, flags: _, ...rest } = options;
    const flags = readFlags(options.flags);
    const isPumping = flags.has('pump');
    if (isPumping && !this.thread) {
      throw new OptionError(
        'option-invalid',
        `The flag "pump" needs a thread with a name, but the task ${this.#name} runs on a worker of the pool. Omit the flag.`,
      );
    }
    const loop = { count, batch, flags: [...flags].filter((flag) => flag !== 'pump') };
    const started = this.#start(name, args, rest, true, loop) as StartedTask<void>;
    if (isPumping) this.thread?.pumpUntil(started);
    return started;
  }

  /**
   * Waits for started tasks without returning to the event loop. Meanwhile this thread runs pending tasks, and sleeps
   * when no task is pending. Prefer `await` in asynchronous tasks.
   *
   * @returns results in the order of the tasks
   * @throws the error of a task that failed. StateError `task-not-settled` if that error, or a large result, has not
   * arrived by message yet. A calling task that does not catch this StateError fails with the awaited task's error, if
   * there is one. StateError `wait-not-possible` on the page's thread, on named threads and without shared memory, and
   * for three kinds of tasks: started by message (loops, named threads), suspended, or with unfinished prerequisites
   */
  wait<T>(...tasks: readonly StartedTask<T>[]): T[] {
    // This call throws the errors of the tasks, so their promises must not report them as unhandled.
    for (const task of tasks) task.silence();
    for (const { isHeld, isSettled, name } of tasks) {
      if (isSettled || !isHeld) continue;
      throw new StateError(
        'wait-not-possible',
        `The task ${name} has pending prerequisites, which need a turn of the event loop. Await the task instead.`,
      );
    }
    if (tasks.some(({ isSettled }) => !isSettled)) this.#starter.help(tasks as readonly StartedTask[]);
    return tasks.map((task) => task.result);
  }

  /**
   * Continues the task as another call of itself, on any free worker, when all of `after` are done. Stacks can't move
   * to another thread, so the task's state must be in the arguments, best in shared arrays. Example: `return
   * task.resume({ state }, counter.whenReached())`.
   */
  resume<T = unknown>(args: unknown, ...after: readonly PromiseLike<unknown>[]): StartedTask<T> {
    return this.run<T>(this.#name, args, { prerequisites: after });
  }

  /**
   * Returns a value of this thread alone. The first call with a key creates the value, and the thread's exit cleans it
   * up.
   * @param key identifies the value for all tasks on this thread
   */
  local<T>(key: unknown, create: () => T, cleanUp?: (value: T) => void): T {
    return this.#locals.get(key, create, cleanUp);
  }

  /**
   * Delays the task's completion until `other` is done. If `other` fails, the task fails too.
   * @throws StateError `task-not-running` if the task has completed
   */
  doNotCompleteUntil(other: PromiseLike<unknown>): void {
    if (!this.#until) {
      throw new StateError(
        'task-not-running',
        `The task ${this.#name} has completed already. Call doNotCompleteUntil() before the task returns.`,
      );
    }
    this.#until.push(other);
  }

  /** Reports the task's progress. @param fraction from 0 to 1 @throws OptionError `option-out-of-range` */
  progress(fraction: number): void {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new OptionError(
        'option-out-of-range',
        `The progress of the task ${this.#name} is ${String(fraction)}; it has to be from 0 to 1.`,
      );
    }
    this.#starter.progress(fraction);
  }

  /** @internal Called when the task has returned. @returns a promise to await before the task is done, or undefined */
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

  #start(
    name: string,
    args: unknown,
    options: StartOptions,
    isTracked: boolean,
    loop?: StartedLoop,
  ): StartedTask {
    const { priority = 'normal', set, prerequisites = [], thread, queue } = options;
    this.#starter.check(name);
    const started = new StartedTask(`"${name}" of ${this.#starter.url}`);
    const begin = (): void => {
      started.isHeld = false;
      try {
        this.#starter.begin({ name, args, priority, set, isTracked, thread, queue, loop }, started);
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

/**
 * Values of one thread, by key. The first task that asks for a key creates its value. The value is cleaned up
 * when the thread exits (SYSTEMS T13). A thread exits when the pool ends the worker, a runnable ends, or the
 * task system is disposed of. A thread that dies cleans up nothing.
 */
export class ThreadLocals {
  readonly #values = new Map<unknown, { readonly value: unknown; readonly cleanUp: (() => void) | null }>();
  readonly #onFirstCleanUp: () => void;
  #hasCleanUp = false;

  /**
   * @param onFirstCleanUp called when the first value with a clean-up is created. `clear` must then be called
   *   before the thread ends
   */
  constructor(onFirstCleanUp: () => void = () => {}) {
    this.#onFirstCleanUp = onFirstCleanUp;
  }

  get<T>(key: unknown, create: () => T, cleanUp?: (value: T) => void): T {
    const known = this.#values.get(key);
    if (known) return known.value as T;
    const value = create();
    this.#values.set(key, { value, cleanUp: cleanUp ? () => cleanUp(value) : null });
    if (cleanUp && !this.#hasCleanUp) {
      this.#hasCleanUp = true;
      this.#onFirstCleanUp();
    }
    return value;
  }

  /**
   * Cleans up all values, the last created first, because the thread exits.
   * @param onError receives errors of clean-ups
   */
  clear(onError: (error: unknown) => void): void {
    const values = [...this.#values.values()].reverse();
    this.#values.clear();
    for (const { cleanUp } of values) {
      try {
        cleanUp?.();
      } catch (error) {
        onError(error);
      }
    }
  }
}

/**
 * A function of a task module. The caller gets a clone of its result, or of the value of its promise.
 *
 * @param args arguments of the caller: plain data is a copy; changes of shared arrays reach the caller
 * @param begin first index of a part of a `parallelFor`; 0 for a single task
 * @param end end of the part, exclusive; 1 for a single task
 * @param task context of the task: starts tasks, reports progress, uses shared memory
 */
export type TaskFunction = (args: never, begin: number, end: number, task: TaskContext) => unknown;

export type TaskTable = Readonly<Record<string, TaskFunction>>;

/**
 * Declares the tasks of a module: `export default defineTasks({ … })`. It checks the types and returns the object as it
 * is. A module may also export the object itself, or the functions by name, without this import.
 *
 * @throws TaskError `task-not-a-function`
 */
export function defineTasks<T extends TaskTable>(tasks: T): T {
  for (const [name, task] of Object.entries(tasks)) {
    if (typeof task === 'function') continue;
    throw new TaskError('task-not-a-function', `The task "${name}" is ${typeof task}. Give a function.`);
  }
  return tasks;
}
