import type { TaskModule } from '../../tasks/loaded-tasks.js';
import type { TaskTable, UntypedTasks } from '../../tasks/task-module.js';
import type { TaskStats } from '../../tasks/task-system.js';

/**
 * The engine's task system (docs/guide/tasks.md): of as many workers as the option `taskWorkers` says, ended with the engine.
 * Its code is fetched with the first module of tasks.
 */
export interface EngineTasks {
  /**
   * As `load` of `createTaskSystem`.
   * @param url resolved against the document
   * @returns rejects with TaskError `task-module-failed`, `task-module-empty`; PlatformError `part-missing`
   */
  load<Tasks extends TaskTable = UntypedTasks>(url: string | URL): Promise<TaskModule<Tasks>>;
  /** Null before the first `load`. */
  stats(): TaskStats | null;
}
