/** The static table of functions that a task module exports. */
import { TaskError } from '../../core/errors.js';
import type { TaskContext } from './task-context.js';

/**
 * A function of a task module. The caller gets a clone of its result, or of the value of its promise.
 *
 * @param args arguments of the caller: plain data is a copy; changes of shared arrays reach the caller
 * @param begin first index of a part of a `parallelFor`; 0 for a single task
 * @param end index behind the last one; 1 for a single task
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
