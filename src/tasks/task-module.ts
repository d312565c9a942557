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
