/** Starts tasks of a module: checks their options, and creates a future with its jobs. */
import { TaskError } from '../../core/errors.js';
import { canShare } from '../arguments/shared-array.js';
import { type SettledState, TaskFuture } from '../futures/task-future.js';
import { type Job, jobOf, type LoadedModule } from '../job.js';
import type { JobRunner } from '../page/job-runner.js';
import type { TaskHost } from '../page/task-host.js';
import { disposed, triggerFailed, untrackedError } from '../task-errors.js';
import { findTask } from '../task-module.js';
import {
  BROADCAST_OPTIONS,
  type BroadcastOptions,
  checkTaskOptions,
  FIRE_OPTIONS,
  PARALLEL_FOR_OPTIONS,
  type ParallelForOptions,
  RUN_OPTIONS,
  type RunOptions,
  readFlags,
} from '../task-options.js';
import { type SetSizes, type TaskTarget, targetOf, WORKER_SETS, type WorkerSet } from '../task-sets.js';
import { planOf, planRanges, TaskCosts } from './plan-ranges.js';

/** Least number of parameters of a task that uses its context. */
const CONTEXT_PARAMETERS = 4;

interface TaskCallsHost {
  readonly host: Pick<TaskHost, 'sizes' | 'onError'>;
  readonly runner: JobRunner;
  readonly tasks: SubmittedTasks;
  readonly isDisposed: () => boolean;
}

export class TaskCalls {
  readonly #host: TaskCallsHost;
  readonly #costs = new TaskCosts();

  constructor(host: TaskCallsHost) {
    this.#host = host;
  }

  /** Runs a task. @throws TaskError `task-unknown`, `task-cycle`; OptionError */
  run(
    module: LoadedModule,
    name: string,
    args: unknown,
    options: RunOptions,
    call: 'run' | 'fire' = 'run',
  ): TaskFuture<unknown> {
    checkTaskOptions(call, options, call === 'run' ? RUN_OPTIONS : FIRE_OPTIONS);
    const task = findTask(module.tasks, name, module.url);
    const costs = this.#costs;
    const key = `run ${module.number} ${name}`;
    return this.#host.tasks.submit(module, name, options, (future, target) => {
      const onDone = (result: unknown, milliseconds?: number): void => {
        if (milliseconds !== undefined) costs.note(key, milliseconds, 1);
        future.resolve(result);
      };
      // A task that uses its context may wait for another task, so it never shares a slot with another task.
      const cost = task.length < CONTEXT_PARAMETERS ? costs.of(key) : undefined;
      return { jobs: [jobOf(module, name, args, 0, 1, future, onDone, target, null, [], cost)] };
    });
  }

  /** Runs a task once on each worker. @throws as `run` */
  broadcast(
    module: LoadedModule,
    name: string,
    args: unknown,
    options: BroadcastOptions,
  ): TaskFuture<unknown[]> {
    checkTaskOptions('broadcast', options, BROADCAST_OPTIONS);
    findTask(module.tasks, name, module.url);
    const { host, runner, tasks } = this.#host;
    return tasks.submit(module, name, options, (future, target) => {
      const sets = options.set ? [targetOf(options.set, 'normal', host.sizes).set] : WORKER_SETS;
      const workers = runner.gather(sets);
      const results: unknown[] = [];
      let left = Math.max(1, workers.length);
      const jobs = Array.from({ length: left }, (_, index) => {
        const onDone = (result: unknown): void => {
          results[index] = result;
          if (--left === 0) future.resolve(results);
        };
        const set = workers[index]?.set ?? target.set;
        return jobOf(module, name, args, 0, 1, future, onDone, { ...target, set });
      });
      // Without workers this thread runs the task once.
      if (workers.length === 0) return { jobs };
      return { jobs: [], begin: () => runner.handOut(jobs, workers) };
    }) as TaskFuture<unknown[]>;
  }

  /**
   * Runs a task of the engine that serves ports. The task gets the ports in its arguments, and holds its worker.
   * @throws TaskError `task-unknown`
   */
  serve(module: LoadedModule, name: string, ports: Readonly<Record<string, MessagePort>>, set: WorkerSet) {
    findTask(module.tasks, name, module.url);
    const transferred = Object.values(ports);
    const future = this.#host.tasks.submit(module, name, { set }, (future, target) => ({
      jobs: [
        jobOf(module, name, ports, 0, 1, future, () => future.resolve(undefined), target, null, transferred),
      ],
    }));
    future.isReportedSlow = true;
    return future;
  }

  /** Runs a task without a future. @throws as `run`; StateError `tasks-disposed` */
  fire(module: LoadedModule, name: string, args: unknown, options: RunOptions): void {
    if (this.#host.isDisposed()) throw disposed();
    this.runUntracked(module, name, args, options);
  }

  /**
   * Runs a task, and reports its failure to `onError`. A cancelled task is reported only if a failed
   * prerequisite cancelled it before the system was disposed.
   */
  runUntracked(module: LoadedModule, name: string, args: unknown, options: RunOptions): TaskFuture<unknown> {
    const { host, isDisposed } = this.#host;
    const future = this.run(module, name, args, options, 'fire');
    future.silence();
    future.whenSettled((failure) => {
      const isReported = future.state === 'failed' || (!isDisposed() && isUnexpected(failure?.reason));
      if (failure && isReported) host.onError(untrackedError(future.name, failure.reason));
    });
    return future;
  }

  /** Runs a task over a range. @throws as `run` */
  parallelFor(
    module: LoadedModule,
    name: string,
    count: number,
    args: unknown,
    options: ParallelForOptions,
  ): TaskFuture<void> {
    checkTaskOptions('parallelFor', options, PARALLEL_FOR_OPTIONS);
    findTask(module.tasks, name, module.url);
    const { host, runner, tasks } = this.#host;
    const { set } = targetOf(options.set ?? 'normal', 'normal', host.sizes);
    const workers = runner.pool.isUsable ? host.sizes[set] : 0;
    const costs = this.#costs;
    const plan = planOf(count, options, workers, canShare(), costs.of(`${module.number} ${name}`));
    const { counterFor: counterOf } = runner;
    const { preWork } = options;
    const loop = tasks.submit(module, name, options, (future, target) =>
      planRanges({ module, name, args, plan, counterOf, costs, target, future, preWork }),
    ) as TaskFuture<void>;
    if (readFlags(options.flags).has('pump')) runner.threads.gameThread.pumpUntil(loop);
    return loop;
  }
}

/**
 * Returns whether a task was cancelled because a prerequisite has failed, and not because a prerequisite was aborted.
 */
const isUnexpected = (reason: unknown): boolean =>
  reason instanceof TaskError &&
  !(reason.cause instanceof DOMException && reason.cause.name === 'AbortError');

/** Creates the jobs of a task, when the task may begin. */
type JobsOf = (
  future: TaskFuture<unknown>,
  target: TaskTarget,
) => { readonly jobs: readonly Job[]; readonly begin?: () => void };

/**
 * Submitted tasks. Each task has a future, begins when its prerequisites are done, and is counted by its final state.
 *
 *   submit ─► future ─ unlocked, prerequisites done ─► jobs ─► JobRunner        pending ─► done │ failed │ cancelled
 */
export class SubmittedTasks {
  readonly #runner: JobRunner;
  readonly #sizes: SetSizes;
  readonly #pending = new Set<TaskFuture<unknown>>();
  readonly #settled: Record<SettledState, number> = { done: 0, failed: 0, cancelled: 0 };
  readonly #isDisposed: () => boolean;

  /** @param isDisposed returns whether the system has ended; later tasks are cancelled at once */
  constructor(runner: JobRunner, sizes: SetSizes, isDisposed: () => boolean) {
    this.#runner = runner;
    this.#sizes = sizes;
    this.#isDisposed = isDisposed;
  }

  /** Number of tasks that have not settled. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Number of settled tasks, by state. */
  get settled(): Readonly<Record<SettledState, number>> {
    return this.#settled;
  }

  /** Submits a task. @throws TaskError `task-cycle` */
  submit(
    { url }: LoadedModule,
    name: string,
    {
      prerequisites = [],
      priority = 'normal',
      set = 'normal',
      signal,
      hold = false,
      deferred = false,
      triggers = [],
      thread,
      queue,
    }: RunOptions,
    jobsOf: JobsOf,
  ): TaskFuture<unknown> {
    const abort = (): void => void future.cancel(signal?.reason);
    const begin = (): void => {
      future.advance('queued');
      const target = targetOf(set, priority, this.#sizes);
      const work = jobsOf(future, { ...target, thread, queue });
      this.#runner.add(work.jobs);
      work.begin?.();
    };
    const future = new TaskFuture<unknown>(`"${name}" of ${url}`, begin, (state) => {
      this.#pending.delete(future);
      this.#settled[state]++;
      signal?.removeEventListener('abort', abort);
    });
    this.#pending.add(future);
    try {
      for (const each of prerequisites) {
        // A prerequisite that has failed already settles the future at once. The future then needs no further
        // prerequisites.
        if (!future.isSettled) future.addPrerequisite(each);
      }
      for (const event of triggers) event.triggeredBy(future);
    } catch (cycle) {
      this.#pending.delete(future);
      throw cycle;
    }
    for (const event of triggers) {
      future.whenSettled((failure) => {
        if (failure) event.fail(triggerFailed(event, failure.reason));
        else event.trigger();
      });
    }
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    if (this.#isDisposed()) future.cancel(disposed());
    future.isDeferred = deferred;
    if (!hold && !deferred && !future.isSettled) future.unlock();
    return future;
  }

  /** Cancels all tasks that have not settled. */
  cancel(reason: unknown): void {
    for (const future of [...this.#pending]) future.cancel(reason);
  }
}
