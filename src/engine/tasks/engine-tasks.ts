import { StateError } from '../../core/errors.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import type { TaskStats } from '../../tasks/task-stats.js';

const PROMISED = ['load', 'thread', 'createThread', 'dispose'] as const;
const DIRECT = ['event', 'counter', 'arenas', 'threads', 'onShutdown', 'isPoisoned', 'clearPoison'] as const;

/** What a task system can be asked for, whether `createTaskSystem` or an engine has made it. */
export type Tasks = Pick<TaskSystem, (typeof PROMISED)[number] | (typeof DIRECT)[number]> & {
  /** Null where the code of an engine's task system was not fetched yet. */
  stats(): TaskStats | null;
};

/**
 * The engine's task system (docs/guide/tasks.md): of as many workers as the option `taskWorkers` says, ended with the engine.
 * Its code is fetched with the first call of `load`, `thread` or `createThread`, which may reject with PlatformError
 * `part-missing`; until then the calls that give no promise throw StateError `tasks-not-loaded`, and of
 * an engine that has ended `engine-disposed`.
 *
 * @param open fetches the code @param opened what it has fetched @param checkAlive throws where the engine has ended
 */
export function engineTasks(
  open: () => Promise<TaskSystem>,
  opened: () => TaskSystem | null | undefined,
  checkAlive: () => void,
): Tasks {
  const tasks: Record<string, unknown> = { stats: () => opened()?.stats() ?? null };
  for (const name of PROMISED) {
    tasks[name] = async (...of: unknown[]) => call(await open(), name, of);
  }
  for (const name of DIRECT) {
    tasks[name] = (...of: unknown[]) => {
      const system = opened();
      if (!system) checkAlive();
      return call(system, name, of);
    };
  }
  return tasks as Tasks;
}

function call(system: TaskSystem | null | undefined, name: keyof Tasks, of: readonly unknown[]): unknown {
  if (system) return (system[name] as (...of: readonly unknown[]) => unknown)(...of);
  throw new StateError('tasks-not-loaded', `await load() before ${name}().`);
}
