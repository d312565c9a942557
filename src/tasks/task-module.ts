/**
 * A task module is an ES module that the page and every worker load by its address: a static table of functions, so that
 * nothing is sent as text and nothing is compiled at run time.
 */
import { TaskError } from '../core/errors.js';
import type { TaskContext } from './running/task-context.js';

/**
 * A function of a task module. What it returns, or the promise it returns resolves to, is cloned for the caller.
 *
 * @param args what the caller gave: plain data is a copy, shared arrays are the caller's
 * @param begin of a part of a `parallelFor`: the first index; 0 for a single task
 * @param end the index behind the last one; 1 for a single task
 * @param task what it can do besides: start tasks, say how far it is, use shared memory
 */
export type TaskFunction = (args: never, begin: number, end: number, task: TaskContext) => unknown;

/** Gives the exports of a module of this address. */
export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

export type TaskTable = Readonly<Record<string, TaskFunction>>;

/** A task whose argument has no type: any may be given, and the task itself finds out whether it suits. */
export type CallableTask = (args: unknown, begin: number, end: number) => unknown;

/** The tasks of a module that is loaded without a type for them. */
export type UntypedTasks = Readonly<Record<string, CallableTask>>;

/**
 * The tasks of a module: `export default defineTasks({ … })`. It changes nothing; a module without it may export the
 * object itself, or the functions by name, and needs no import then.
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

/** The tasks that a module exports, by name. @throws TaskError `task-module-empty` */
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

/** @throws TaskError `task-unknown` */
export function findTask(tasks: UntypedTasks, name: string, url: string): CallableTask {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (task) return task;
  throw new TaskError(
    'task-unknown',
    `${url} has no task "${String(name)}". It has ${Object.keys(tasks).join(', ')}.`,
  );
}
