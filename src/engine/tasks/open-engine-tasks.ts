import type { EventRing } from '../../core/events/event-ring.js';
import type { TaskHost } from '../../tasks/page/task-host.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import { TaskRings } from '../../tasks/task-rings.js';
import type { SetSizes } from '../../tasks/task-sets.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import {
  createTaskSystemOf,
  defaultEngineWorkers,
  divideWorkers,
} from '../../threads/tasks/create-task-system.js';
import { TaskThreads } from '../../threads/tasks/task-threads.js';
import type { ResolvedOptions } from '../options/engine-options.js';

/** The task system of an engine with its named threads and event rings. */
export interface OpenedTasks {
  readonly system: TaskSystem;
  readonly threads: TaskThreads;
  /** Event rings for the timeline. */
  readonly rings: TaskRings;
}

/** Returns the number of workers in the engine's pool, by set. */
export const poolSizes = ({ taskWorkers }: Pick<ResolvedOptions, 'taskWorkers'>): SetSizes =>
  divideWorkers(taskWorkers ?? defaultEngineWorkers());

/**
 * Creates the task system of an engine.
 * @param connection returns the current connection
 * @param otherThreads returns the names of the engine's other threads
 * @param events event ring of this thread
 * @param inviteToFences invites a worker to the engine's fences
 */
export function openEngineTasks(
  options: ResolvedOptions,
  connection: () => RenderConnection,
  otherThreads: () => readonly string[],
  onError: (error: unknown) => void,
  events: EventRing,
  inviteToFences: TaskHost['inviteToFences'],
): OpenedTasks {
  const { locate, taskHangSeconds, restartSeconds } = options;
  const { high, normal, background } = poolSizes(options);
  const rings = new TaskRings(events);
  const threads: TaskThreads = new TaskThreads(() => system);
  const system: TaskSystem = createTaskSystemOf(
    {
      ...{ workers: normal, highWorkers: high, backgroundWorkers: background },
      ...(locate === undefined ? {} : { workerUrl: locate('tasks') }),
      ...(taskHangSeconds === undefined ? {} : { hangSeconds: taskHangSeconds }),
      onError,
    },
    {
      openThreads: () => threads.open(connection()),
      rings,
      idleHangSeconds: restartSeconds,
      inviteToFences,
      otherThreads: () => [...threads.unopened(connection()), ...otherThreads()],
    },
  );
  return { system, threads, rings };
}
