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
import { TaskEvent } from './futures/task-event.js';
import { isPromise } from './is-promise.js';
import { QUEUE_NAMES, THREAD_NAMES } from './named-threads/thread-queues.js';
import type { TaskPriority } from './task-queue.js';
import { WORKER_SETS } from './task-sets.js';

const TASK_OPTIONS = {
  /** `high` goes before all that is `normal`, the default; within one, the oldest goes first. */
  priority: optional(oneOf<TaskPriority>(['normal', 'high'])),
  /**
   * Which workers run it: `normal` by default, `high` for what is urgent, `background` for what may take long. Without workers of
   * the set it runs on normal ones, of the set `high` before others.
   */
  set: optional(oneOf(WORKER_SETS)),
  /** The task begins when all are done. If one fails, it is cancelled, with that as the cause. */
  prerequisites: optional(
    member<readonly PromiseLike<unknown>[]>(
      (value) => Array.isArray(value) && value.every(isPromise),
      'a list of futures',
    ),
  ),
  /** Aborted: the task is cancelled. */
  signal: optional(signal()),
  /** It does not begin before `future.unlock()`, and may get prerequisites until then. */
  hold: optional(boolean()),
  /** Triggered when the task is done; if it is not to be, they fail. */
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
  /** A named thread that runs it, instead of the pool. */
  thread: optional(oneOf(THREAD_NAMES)),
  /** Of that thread: `main`, the default, runs by itself; `local` when somebody on the thread processes it. */
  queue: optional(oneOf(QUEUE_NAMES)),
};

export type RunOptions = Shaped<typeof RUN_OPTIONS>;

const { hold: _, ...fireOptions } = RUN_OPTIONS;
/** Without `hold`: nobody could unlock it. */
export const FIRE_OPTIONS: Shape = fireOptions;

/**
 * `forced-single`: the whole range is one call. `unbalanced`: indices cost very different times, so batches are smaller.
 * `recursive`: workers halve their ranges and give halves away, instead of taking ranges from one counter; in shared memory only.
 */
export type ParallelForFlag = 'forced-single' | 'unbalanced' | 'recursive';

/** The most indices of a `parallelFor`. */
export const MAXIMUM_COUNT = 2 ** 30;

export const PARALLEL_FOR_OPTIONS = {
  ...TASK_OPTIONS,
  /**
   * Indices per call of the task, from 1 on. Default: 8 calls per worker, with `unbalanced` 32; once the cost of an index was measured,
   * calls of 0.05 ms at least, and no more workers than have 0.1 ms of work each.
   */
  batch: optional(countFrom(1, MAXIMUM_COUNT)),
  /** Called on this thread when the workers have been told, and before anything is awaited; the future waits for it as well. */
  preWork: optional(func<() => unknown>()),
  /** Checked by `readFlags`. */
  flags: optional(anything<ParallelForFlag | readonly ParallelForFlag[]>()),
};

export type ParallelForOptions = Shaped<typeof PARALLEL_FOR_OPTIONS>;

/** @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range` */
export function checkTaskOptions(call: string, options: TaskOptions, table: Shape): void {
  checkOptions(call, options, table);
  const { thread, queue } = options as RunOptions;
  if (queue === undefined || thread !== undefined) return;
  throw new OptionError(
    'option-invalid',
    `${call} names the queue '${queue}' of no thread. Say which: { thread: 'game', queue: '${queue}' }.`,
  );
}

/**
 * Where a module is.
 * @throws OptionError `option-invalid` for what is no address
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

const FLAGS: readonly ParallelForFlag[] = ['forced-single', 'unbalanced', 'recursive'];
/** The name is kept for a later version (SYSTEMS T4). */
const FLAG_WITHOUT_EFFECT = 'pump';

/** @throws OptionError `option-invalid` */
export function readFlags(flags: ParallelForOptions['flags'] = []): ReadonlySet<ParallelForFlag> {
  const list = typeof flags === 'string' ? [flags] : flags;
  checkOption('The option "flags" of parallelFor', flags, Array.isArray(list), 'a flag, or a list of flags');
  for (const flag of list as readonly string[]) {
    if (flag === FLAG_WITHOUT_EFFECT) {
      throw new OptionError(
        'option-invalid',
        `The flag "${FLAG_WITHOUT_EFFECT}" of parallelFor has no effect yet. Leave it out.`,
      );
    }
    if (!FLAGS.includes(flag as ParallelForFlag))
      throw new OptionError(
        'option-invalid',
        `parallelFor has no flag "${String(flag)}". It has ${FLAGS.join(', ')}.`,
      );
  }
  return new Set(list);
}
