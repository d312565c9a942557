/** The static table of functions that a task module exports. */
import { TaskError } from '../../core/errors.js';
import type { TaskContext } from './task-context.js';

/**
 * A function of a task module. What it returns, or the promise it returns resolves to, is cloned for the caller.
 *
 * @param args what the caller gave: plain data is a copy, shared arrays are the caller's
 * @param begin of a part of a `parallelFor`: the first index; 0 for a single task
 * @param end the index behind the last one; 1 for a single task
 * @param task what it can do besides: start tasks, say how far it is, use shared memory
 */
export type TaskFunction = (args: never, begin: number, end: number, task: TaskContext) => unknown;

export type TaskTable = Readonly<Record<string, TaskFunction>>;

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
