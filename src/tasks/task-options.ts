/** The options of tasks, and their checks. */
import { OptionError } from '../core/errors.js';
import { checkOption, checkOptions } from '../core/options/check-options.js';
import type { Shape, Shaped } from '../core/options/member.js';
import {
  anything,
  boolean,
  countFrom,
  func,
  member,
  oneOf,
  optional,
  signal,
} from '../core/options/members.js';
import { shownValue } from '../core/options/shown-value.js';
import { isPromise } from './futures/awaitable.js';
import { TaskEvent } from './futures/task-event.js';
import { QUEUE_NAMES, THREAD_NAMES } from './named-threads/thread-queues.js';
import type { TaskPriority } from './task-queue.js';
import { WORKER_SETS } from './task-sets.js';

const TASK_OPTIONS = {
  /**
   * Priority among waiting tasks. `high` tasks run before `normal` tasks, the default. With equal priority, the oldest
   * task runs first.
   */
  priority: optional(oneOf<TaskPriority>(['normal', 'high'])),
  /**
   * Set of workers that runs the task: `normal`, the default, `high` for urgent tasks, or `background` for long tasks.
   * If the set has no workers, normal workers run the task; tasks of the set `high` then have high priority.
   */
  set: optional(oneOf(WORKER_SETS)),
  /**
   * Promises, futures or events that must be done before the task begins. If one fails, the task is cancelled with
   * that failure as the cause.
   */
  prerequisites: optional(
    member<readonly PromiseLike<unknown>[]>(
      (value) => Array.isArray(value) && value.every(isPromise),
      'a list of futures',
    ),
  ),
  /** Cancels the task when it is aborted. */
  signal: optional(signal()),
  /** Whether the task waits for `future.unlock()`. It accepts more prerequisites until then. */
  hold: optional(boolean()),
  /**
   * Whether the task begins only when it is first needed. It is needed when code awaits it or calls `waitUntil`, or
   * when a task that is not held names it as a prerequisite. It accepts more prerequisites until then, and
   * `future.unlock()` begins it as well.
   */
  deferred: optional(boolean()),
  /** Events that are triggered when the task is done. They fail if the task fails or is cancelled. */
  triggers: optional(
    member<readonly TaskEvent<void>[]>(
      (value) => Array.isArray(value) && value.every((event) => event instanceof TaskEvent),
      'a list of `tasks.event()`s',
    ),
  ),
};

export type TaskOptions = Shaped<typeof TASK_OPTIONS>;

export const RUN_OPTIONS = {
  ...TASK_OPTIONS,
  /** Named thread that runs the task instead of the pool. */
  thread: optional(oneOf(THREAD_NAMES)),
  /**
   * Queue of the named thread. Tasks in `main`, the default, run by themselves. Tasks in `local` run when code on the
   * thread processes the queue.
   */
  queue: optional(oneOf(QUEUE_NAMES)),
};

export type RunOptions = Shaped<typeof RUN_OPTIONS>;

const { priority: ___, ...broadcastOptions } = TASK_OPTIONS;
/** Options of `broadcast`: without `priority`, because no queue holds the task. */
export const BROADCAST_OPTIONS = {
  ...broadcastOptions,
  /** Set of workers that run the task. Default: the workers of all sets. */
  set: TASK_OPTIONS.set,
};

export type BroadcastOptions = Shaped<typeof BROADCAST_OPTIONS>;

const { hold: _, deferred: __, ...fireOptions } = RUN_OPTIONS;
/** Options of `fire`: without `hold` and `deferred`, because there is no future to unlock or to await. */
export const FIRE_OPTIONS: Shape = fireOptions;

/**
 * `forced-single`: makes one call for the whole range. `unbalanced`: makes batches smaller, for indices of very
 * different cost. `recursive`: workers halve their ranges and give halves away, instead of taking ranges from one
 * counter; it has an effect only with shared memory. `pump`: the calling thread, which must be a named thread, runs the
 * tasks of its local queue until the loop has ended.
 */
export type ParallelForFlag = (typeof FLAGS)[number];

const FLAGS = ['forced-single', 'unbalanced', 'recursive', 'pump'] as const;

/** Largest number of indices of a `parallelFor`. */
export const MAXIMUM_COUNT = 2 ** 30;

export const PARALLEL_FOR_OPTIONS = {
  ...TASK_OPTIONS,
  /**
   * Indices per call of the task, at least 1. Default: 8 calls per worker, or 32 with `unbalanced`. Once the cost of an
   * index has been measured, calls take at least 0.05 ms, and each worker gets at least 0.1 ms of work. With
   * `unbalanced`, measured costs have no effect.
   */
  batch: optional(countFrom(1, MAXIMUM_COUNT)),
  /** Work of this thread, called after the workers have been notified. The future waits for it as well. */
  preWork: optional(func<() => unknown>()),
  /** One flag, or a list of flags. `readFlags` checks them. */
  flags: optional(anything<ParallelForFlag | readonly ParallelForFlag[]>()),
};

export type ParallelForOptions = Shaped<typeof PARALLEL_FOR_OPTIONS>;

/** Options of a loop that a task starts. */
export const STARTED_LOOP_OPTIONS = {
  priority: TASK_OPTIONS.priority,
  /** Set of workers that runs the loop. Default: the set of the task that starts it. */
  set: TASK_OPTIONS.set,
  prerequisites: TASK_OPTIONS.prerequisites,
  batch: PARALLEL_FOR_OPTIONS.batch,
  flags: PARALLEL_FOR_OPTIONS.flags,
};

export type StartedLoopOptions = Shaped<typeof STARTED_LOOP_OPTIONS>;

/** A loop that a task has started. The thread that splits the loop receives this description. */
export interface StartedLoop {
  readonly count: number;
  readonly batch: number | undefined;
  readonly flags: readonly ParallelForFlag[];
}

/** @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range` */
export function checkTaskOptions(call: string, options: TaskOptions, table: Shape): void {
  checkOptions(call, options, table);
  const { thread, queue } = options as RunOptions;
  if (queue === undefined || thread !== undefined) return;
  throw new OptionError(
    'option-invalid',
    `${call} names the queue '${queue}' without a thread. Name one: { thread: 'game', queue: '${queue}' }.`,
  );
}

/**
 * Returns the absolute address of a module.
 * @throws OptionError `option-invalid` for an invalid address
 */
export function addressOf(call: string, url: string | URL): string {
  const isAddress = typeof url === 'string' || url instanceof URL;
  const base = globalThis.document?.baseURI;
  if (isAddress && URL.canParse(url, base)) return new URL(url, base).href;
  throw new OptionError(
    'option-invalid',
    `The address of ${call} is ${shownValue(url)}; it has to be a URL: \`new URL('./tasks.js', import.meta.url)\`.`,
  );
}

export function checkWhole(subject: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new OptionError(
    'option-out-of-range',
    `${subject} is ${typeof value === 'string' ? `"${value}"` : String(value)}; it has to be a whole number from ${least} to ${most}.`,
  );
}

/** @throws OptionError `option-invalid` */
export function readFlags(flags: ParallelForOptions['flags'] = []): ReadonlySet<ParallelForFlag> {
  const list = typeof flags === 'string' ? [flags] : flags;
  checkOption('The option "flags" of parallelFor', flags, Array.isArray(list), 'a flag, or a list of flags');
  for (const flag of list as readonly string[]) {
    if (!FLAGS.includes(flag as ParallelForFlag))
      throw new OptionError(
        'option-invalid',
        `parallelFor has no flag "${String(flag)}". It has ${FLAGS.join(', ')}.`,
      );
  }
  return new Set(list as readonly ParallelForFlag[]);
}
