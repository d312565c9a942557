/** Runs jobs on this thread: jobs that were sent to the game thread, and all jobs if there are no workers. */
import { StateError } from '../../core/errors.js';
import { TimelineEvent } from '../../core/events/event-ring.js';
import { cloneArguments } from '../arguments/task-arguments.js';
import { callTask, runBody } from '../execution/run-body.js';
import { takeRanges, turnsOfLoop } from '../execution/take-ranges.js';
import { TaskContext, ThreadLocals } from '../execution/task-context.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { Job } from '../job.js';
import type { NamedThread } from '../named-threads/thread-queues.js';
import { argumentsRefused, isRefused, resultRefused } from '../task-errors.js';
import { findTask } from '../task-module.js';
import { type TaskRings, taskNumberOf } from '../task-rings.js';
import { PageStarter, type StartFor } from './page-starter.js';

export class PageJobs {
  readonly #startFor: StartFor;
  readonly #rings: TaskRings | undefined;
  readonly #locals = new ThreadLocals();

  /** @param rings records the jobs and their times for the timeline */
  constructor(startFor: StartFor, rings: TaskRings | undefined) {
    this.#startFor = startFor;
    this.#rings = rings;
  }

  /** Runs a job, up to its first promise. @param thread handle of the game thread if the job was sent to it */
  run(job: Job, thread: NamedThread | null): void {
    const { module, name, args, begin, end, ranges, future, target } = job;
    future.advance('running');
    try {
      const task = findTask(module.tasks, name, module.url) as (...call: unknown[]) => unknown;
      const starter = new PageStarter(module, future, target.set, this.#startFor);
      const context = new TaskContext(name, starter, this.#locals, thread);
      const given = argumentsFor(future, args);
      const call = (...of: [unknown, number, number]): unknown => callTask(task, ...of, context);
      const endIfOver = (): void => {
        if (job.isOver)
          throw new StateError('task-over', 'The task has settled, so the rest of its range is not run.');
      };
      // Other jobs run while the task awaits, because it may wait for tasks that it has started.
      void runBody(
        () => (ranges ? takeRanges(call, given, ranges, turnsOfLoop(endIfOver)) : call(given, begin, end)),
        context,
        {
          ran: (began, ended) => {
            const indices = ranges ? 0 : end - begin;
            this.#rings?.own.add(TimelineEvent.task, taskNumberOf(module, name), began, ended, indices);
          },
          done: (result, milliseconds) => job.onDone(cloneResult(future, result), milliseconds),
          failed: (error) => void future.fail(error),
        },
      );
    } catch (error) {
      future.fail(error);
    }
  }

  /** Cleans up the thread's locals. Call it after the last job. */
  cleanUp(onError: (error: unknown) => void): void {
    this.#locals.clear(onError);
  }
}

/** @throws TaskError `task-arguments-refused` */
function argumentsFor(future: TaskFuture<unknown>, args: unknown): unknown {
  try {
    return cloneArguments(args);
  } catch (error) {
    throw isRefused(error) ? argumentsRefused(future, error) : error;
  }
}

/** @throws TaskError `task-result-refused` */
function cloneResult({ name }: TaskFuture<unknown>, result: unknown): unknown {
  try {
    return structuredClone(result);
  } catch (cause) {
    throw resultRefused(`the task ${name}`, cause);
  }
}
