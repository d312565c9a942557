import type { TaskSystem } from '../../tasks/task-system.js';
import { createTaskSystem } from './create-task-system.js';
import type { ResolvedOptions } from './engine-options.js';
import { besideEngine } from './task-worker-location.js';

/** The task system of an engine with these options. */
export function openEngineTasks(
  { taskWorkers, workerUrl }: ResolvedOptions,
  onError: (error: unknown) => void,
): TaskSystem {
  return createTaskSystem({
    ...(taskWorkers === null ? {} : { workers: taskWorkers }),
    ...(workerUrl === undefined ? {} : { workerUrl: besideEngine(workerUrl) }),
    onError,
  });
}
