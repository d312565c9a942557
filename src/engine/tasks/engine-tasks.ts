import type { TaskSystem } from '../../tasks/system/task-system.js';
import type { TaskStats } from '../../tasks/task-stats.js';

const PROMISED = ['load', 'thread', 'createThread', 'dispose'] as const;
const DIRECT = ['event', 'counter', 'arenas', 'threads', 'onShutdown', 'isPoisoned', 'clearPoison'] as const;

/** What a task system can be asked for, whether `createTaskSystem` or an engine has made it. */
export type Tasks = Pick<TaskSystem, (typeof PROMISED)[number] | (typeof DIRECT)[number]> & {
  /** Null before the first other call. */
  stats(): TaskStats | null;
};

/**
 * The engine's task system (docs/guide/tasks.md): of as many workers as the option `taskWorkers` says, ended with the engine.
 * The first call makes it.
 *
 * @param open makes it, or gives what was made @throws StateError `engine-disposed` where the engine has ended
 * @param opened what was made, if anything, also of an engine that has ended
 */
export function engineTasks(open: () => TaskSystem, opened: () => TaskSystem | null): Tasks {
  const tasks: Record<string, unknown> = { stats: () => opened()?.stats() ?? null };
  for (const name of PROMISED) tasks[name] = async (...of: unknown[]) => call(open(), name, of);
  for (const name of DIRECT) tasks[name] = (...of: unknown[]) => call(opened() ?? open(), name, of);
  return tasks as Tasks;
}

const call = (system: TaskSystem, name: keyof TaskSystem, of: readonly unknown[]): unknown =>
  (system[name] as (...of: readonly unknown[]) => unknown)(...of);
