import type { TaskStats, TaskSystem } from '../../tasks/system/task-system.js';

const PROMISED = ['load', 'thread', 'createThread', 'dispose'] as const;
const DIRECT = ['event', 'counter', 'arenas', 'threads', 'onShutdown', 'isPoisoned', 'clearPoison'] as const;

/** The public calls of a task system, whether `createTaskSystem` or an engine has created it. */
export type Tasks = Pick<TaskSystem, (typeof PROMISED)[number] | (typeof DIRECT)[number]> & {
  /** Returns the figures of the task system; null until another call has created the task system. */
  stats(): TaskStats | null;
};

/**
 * Returns the engine's tasks (docs/guide/tasks.md). The first call other than `stats` creates the task system, if
 * nothing else in the engine has done so. The task system ends with the engine.
 *
 * @param open returns the task system, created by the first call; throws StateError `engine-disposed` after the
 *   engine's end
 * @param opened returns the task system if it exists, even after the engine's end; else null
 */
export function engineTasks(open: () => TaskSystem, opened: () => TaskSystem | null): Tasks {
  const tasks: Record<string, unknown> = { stats: () => opened()?.stats() ?? null };
  for (const name of PROMISED)
    tasks[name] = async (...parameters: unknown[]) => call(open(), name, parameters);
  for (const name of DIRECT)
    tasks[name] = (...parameters: unknown[]) => call(opened() ?? open(), name, parameters);
  return tasks as Tasks;
}

const call = (system: TaskSystem, name: keyof TaskSystem, parameters: readonly unknown[]): unknown =>
  (system[name] as (...parameters: readonly unknown[]) => unknown)(...parameters);
