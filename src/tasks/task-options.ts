/** The options of tasks, and their checks. */
import { OptionError } from '../core/errors.js';
import { checkNames, checkOption } from '../core/options/check-options.js';
import type { Shape } from '../core/options/member.js';
import { unchecked } from '../core/options/members.js';
import { shownValue } from '../core/options/shown-value.js';
import { TaskEvent } from './futures/task-event.js';
import { isPromise } from './is-promise.js';
import { checkQueue } from './named-threads/named-thread.js';
import { type QueueName, THREAD_NAMES, type ThreadName } from './named-threads/thread-queues.js';
import type { TaskPriority } from './task-queue.js';
import { WORKER_SETS, type WorkerSet } from './task-sets.js';

export interface TaskOptions {
  /** `high` goes before all that is `normal`, the default; within one, the oldest goes first. */
  readonly priority?: TaskPriority;
  /**
   * Which workers run it: `normal` by default, `high` for what is urgent, `background` for what may take long. Without workers of
   * the set it runs on normal ones, of the set `high` before others.
   */
  readonly set?: WorkerSet;
  /** The task begins when all are done. If one fails, it is cancelled, with that as the cause. */
  readonly prerequisites?: readonly PromiseLike<unknown>[];
  /** Aborted: the task is cancelled. */
  readonly signal?: AbortSignal;
  /** It does not begin before `future.unlock()`, and may get prerequisites until then. */
  readonly hold?: boolean;
  /** Triggered when the task is done; if it is not to be, they fail. */
  readonly triggers?: readonly TaskEvent<void>[];
}

export interface RunOptions extends TaskOptions {
  /** A named thread that runs it, instead of the pool. */
  readonly thread?: ThreadName;
  /** Of that thread: `main`, the default, runs by itself; `local` when somebody on the thread processes it. */
  readonly queue?: QueueName;
}

const TASK_OPTIONS = unchecked('priority|set|prerequisites|signal|hold|triggers');
const NAMED_THREAD = unchecked('thread|queue');
export const RUN_OPTIONS = { ...TASK_OPTIONS, ...NAMED_THREAD };
/** Without `hold`: nobody could unlock it. */
export const FIRE_OPTIONS = unchecked('priority|set|prerequisites|signal|triggers|thread|queue');
export const PARALLEL_FOR_OPTIONS = { ...TASK_OPTIONS, ...unchecked('batch|flags|preWork') };

/**
 * `forced-single`: the whole range is one call. `unbalanced`: indices cost very different times, so batches are smaller.
 * `recursive`: workers halve their ranges and give halves away, instead of taking ranges from one counter; in shared memory only.
 */
export type ParallelForFlag = 'forced-single' | 'unbalanced' | 'recursive';

export interface ParallelForOptions extends TaskOptions {
  /**
   * Indices per call of the task, from 1 on. Default: 8 calls per worker, with `unbalanced` 32; once the cost of an index was measured,
   * calls of 0.05 ms at least, and no more workers than have 0.1 ms of work each.
   */
  readonly batch?: number;
  /** Called on this thread when the workers have been told, and before anything is awaited; the future waits for it as well. */
  readonly preWork?: () => unknown;
  readonly flags?: ParallelForFlag | readonly ParallelForFlag[];
}

/** The most indices of a `parallelFor`. */
export const MAXIMUM_COUNT = 2 ** 30;

export function checkTaskOptions(call: string, options: TaskOptions, table: Shape): void {
  checkNames(call, options, table);
  const { priority = 'normal', set, prerequisites = [], triggers = [], signal } = options;
  const { preWork } = options as ParallelForOptions;
  checkOption(`The option "hold" of ${call}`, options.hold, isFlag(options.hold), 'true or false');
  if (preWork !== undefined && typeof preWork !== 'function') {
    throw new OptionError('option-invalid', `The preWork of ${call} is ${typeof preWork}. Give a function.`);
  }
  checkTarget(call, priority, set);
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new OptionError(
      'option-invalid',
      `The signal of ${call} is no AbortSignal. Give \`controller.signal\` of an AbortController.`,
    );
  }
  if (!Array.isArray(prerequisites) || !prerequisites.every(isPromise)) {
    throw new OptionError('option-invalid', `The prerequisites of ${call} have to be a list of futures.`);
  }
  if (!Array.isArray(triggers) || !triggers.every((event) => event instanceof TaskEvent)) {
    throw new OptionError(
      'option-invalid',
      `The triggers of ${call} have to be a list of \`tasks.event()\`s.`,
    );
  }
}

/** @throws OptionError `option-invalid` */
export function checkTarget(call: string, priority: TaskPriority, set: WorkerSet | undefined): void {
  if (priority !== 'normal' && priority !== 'high') {
    throw new OptionError(
      'option-invalid',
      `The priority of ${call} is ${String(priority)}; it has to be 'normal' or 'high'.`,
    );
  }
  if (set !== undefined && !WORKER_SETS.includes(set)) {
    throw new OptionError(
      'option-invalid',
      `The set of ${call} is ${String(set)}; it has to be ${WORKER_SETS.map((each) => `'${each}'`).join(', ')}.`,
    );
  }
}

/** @throws OptionError `option-invalid` */
export function checkThreadName(call: string, thread: ThreadName): void {
  if (THREAD_NAMES.includes(thread)) return;
  throw new OptionError(
    'option-invalid',
    `The thread of ${call} is ${String(thread)}; it has to be ${THREAD_NAMES.map((each) => `'${each}'`).join(', ')}.`,
  );
}

/** @throws OptionError `option-invalid` */
export function checkThread(
  call: string,
  thread: ThreadName | undefined,
  queue: QueueName | undefined,
): void {
  if (thread !== undefined) checkThreadName(call, thread);
  if (queue === undefined) return;
  checkQueue(queue);
  if (thread !== undefined) return;
  throw new OptionError(
    'option-invalid',
    `${call} names the queue '${queue}' of no thread. Say which: { thread: 'game', queue: '${queue}' }.`,
  );
}

const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean';

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
