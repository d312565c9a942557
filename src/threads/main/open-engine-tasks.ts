import type { TaskSystem } from '../../tasks/task-system.js';
import { createTaskSystem } from './create-task-system.js';
import type { ResolvedOptions } from './engine-options.js';

/** The task system of an engine with these options. */
export function openEngineTasks(
  { taskWorkers, locate }: ResolvedOptions,
  onError: (error: unknown) => void,
): TaskSystem {
  return createTaskSystem({
    ...(taskWorkers === null ? {} : { workers: taskWorkers }),
    ...(locate === undefined ? {} : { workerUrl: locate('tasks') }),
    onError,
  });
}
