/**
 * Submitted tasks. Each task has a future, begins when its prerequisites are done, and is counted by its final state.
 *
 *   submit ─► future ─ unlocked, prerequisites, triggers ─► jobs ─► JobRunner        pending ─► done │ failed │ cancelled
 */

import { type SettledState, TaskFuture } from '../futures/task-future.js';
import type { Job, LoadedModule } from '../job.js';
import type { JobRunner } from '../page/job-runner.js';
import { disposed, triggerFailed } from '../task-errors.js';
import type { RunOptions } from '../task-options.js';
import { type SetSizes, type TaskTarget, targetOf } from '../task-sets.js';

/** Creates the jobs of a task, when the task may begin. */
type JobsOf = (
  future: TaskFuture<unknown>,
  target: TaskTarget,
) => { readonly jobs: readonly Job[]; readonly begin?: () => void };

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
    if (!hold && !future.isSettled) future.unlock();
    return future;
  }

  /** Cancels all tasks that have not settled. */
  cancel(reason: unknown): void {
    for (const future of [...this.#pending]) future.cancel(reason);
  }
}
