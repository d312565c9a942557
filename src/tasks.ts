/**
 * `fencepost/tasks`: the task system alone. A pool of workers runs the functions of a module on plain data and shared
 * arrays. The prerequisites of tasks determine their order. A program has the same results without workers or shared
 * memory.
 *
 * @example
 * // sums.js:  export default { sum: ({ numbers }) => numbers.reduce((sum, each) => sum + each, 0) };
 * const tasks = createTaskSystem();
 * const sums = await tasks.load(new URL('./sums.js', import.meta.url));
 * const numbers = sharedArray(Float32Array, 1_000_000);
 * const total = await sums.run('sum', { numbers });
 */
export { FencepostError, OptionError, StateError, TaskError, ThreadError } from './core/errors.js';
export {
  type ArenaMemory,
  type ArenaStats,
  type ArenaTag,
  TaggedArenas,
} from './core/memory/tagged-arenas.js';
export type { Tasks } from './engine/tasks/engine-tasks.js';
export { sharedArray, type TaskArray, type TaskArrayConstructor } from './tasks/arguments/shared-array.js';
export type { TaskCounter } from './tasks/blocking/task-counter.js';
export {
  defineTasks,
  type StartOptions,
  type TaskContext,
  type TaskFunction,
  type TaskTable,
} from './tasks/execution/task-context.js';
export type { TaskTools } from './tasks/execution/task-tools.js';
export type { StartedTask } from './tasks/futures/started-task.js';
export type { TaskEvent } from './tasks/futures/task-event.js';
export type { SharedTaskFuture, TaskFuture, TaskState } from './tasks/futures/task-future.js';
export type { NamedThread, QueueName, ThreadName } from './tasks/named-threads/thread-queues.js';
export type { Runnable, RunnableContext } from './tasks/runnable/serve-runnable.js';
export type { TaskThread, TaskThreadState, ThreadOptions } from './tasks/runnable/task-thread.js';
export type { ArenaOptions } from './tasks/system/arena-options.js';
export type { TaskModule } from './tasks/system/loaded-tasks.js';
export type { TaskStats, TaskSystem } from './tasks/system/task-system.js';
export type { ThreadInfo } from './tasks/system/thread-list.js';
export type { CallableTask, UntypedTasks } from './tasks/task-module.js';
export type {
  BroadcastOptions,
  ParallelForFlag,
  ParallelForOptions,
  RunOptions,
  TaskOptions,
} from './tasks/task-options.js';
export type { TaskPriority } from './tasks/task-queue.js';
export type { WorkerSet } from './tasks/task-sets.js';
export { createTaskSystem, type TaskSystemOptions } from './threads/tasks/create-task-system.js';
