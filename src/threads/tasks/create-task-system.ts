import { DECODING_MODULE } from '../../assets/decoding-workers/decoding-messages.js';
import { OptionError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { amount, byDefault, countFrom, func, member, optional } from '../../core/options/members.js';
import type { TaskHost } from '../../tasks/page/task-host.js';
import { TaskSystem } from '../../tasks/system/task-system.js';
import type { SetSizes } from '../../tasks/task-sets.js';
import { importByAddress } from '../library-files/import-by-address.js';
import { startModuleWorker } from '../library-files/module-worker.js';
import { findTaskWorker } from '../library-files/worker-location.js';

const seconds = { ...amount('seconds'), code: 'option-out-of-range' };

const OPTIONS = {
  /**
   * Maximum number of workers: an integer from 0 to 64. With 0, every task runs on this thread, a few
   * milliseconds at a time. Default: half of the machine's cores, at least 1 and at most 4; 0 if the platform
   * has no workers.
   */
  workers: byDefault(countFrom(0, 64), null),
  /**
   * Additional workers only for tasks of the set `high`, so that such tasks find a free worker. Default 0: such tasks
   * run before normal tasks on the other workers. No effect if `workers` is 0.
   */
  highWorkers: byDefault(countFrom(0, 64), 0),
  /**
   * Additional workers only for tasks of the set `background`. Default 0: such tasks run like normal tasks. No effect
   * if `workers` is 0.
   */
  backgroundWorkers: byDefault(countFrom(0, 64), 0),
  /** Address of `task-worker.js`, if it is not next to the library. */
  workerUrl: optional(
    member<string | URL>(
      (value) => value instanceof URL || URL.canParse(String(value), globalThis.document?.baseURI),
      'a URL',
    ),
  ),
  /** Seconds without a task after which the workers end; they start again when needed. Default 30. */
  idleSeconds: optional(seconds),
  /** Seconds after which a task that has not returned is reported with its name. Default 5. */
  reportSeconds: optional(seconds),
  /**
   * Seconds without a sign of life after which a worker that runs a task is ended. Signs of life are messages, such as
   * `task.progress`, and with shared memory each call of a task. Default: a task may run for any time.
   */
  hangSeconds: optional(seconds),
  /** Called with errors that no future reports: a worker died, or a task takes long. Default: `console.error`. */
  onError: optional(func<(error: unknown) => void>()),
};

export type TaskSystemOptions = Shaped<typeof OPTIONS>;

/**
 * Creates a task system. Workers start with the first task.
 *
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 */
export function createTaskSystem(options: TaskSystemOptions = {}): TaskSystem {
  return createTaskSystemOf(options, {});
}

/** Names of the engine's own tasks, which only workers run. Without workers the asset worker decodes alone. */
const DECODING_NAMES = { serve(): void {} };

/** Creates a task system. @param host members that an engine adds */
export function createTaskSystemOf(
  options: TaskSystemOptions,
  host: Pick<TaskHost, 'openThreads' | 'otherThreads' | 'rings' | 'inviteToFences' | 'idleHangSeconds'>,
): TaskSystem {
  const filled = fillOptions('createTaskSystem', options, OPTIONS);
  const { highWorkers, backgroundWorkers, workerUrl, idleSeconds, reportSeconds, hangSeconds, onError } =
    filled;
  const workers = filled.workers ?? defaultWorkers();
  const all = workers + highWorkers + backgroundWorkers;
  if (all > 64) {
    throw new OptionError(
      'option-out-of-range',
      `The options of createTaskSystem request ${all} workers in total; the maximum is 64. Request fewer.`,
    );
  }
  return new TaskSystem({
    // Without normal workers there is no fallback for other sets, so everything runs on this thread.
    sizes:
      workers === 0
        ? { high: 0, normal: 0, background: 0 }
        : { high: highWorkers, normal: workers, background: backgroundWorkers },
    startWorker: () => startModuleWorker(findTaskWorker(workerUrl).href),
    whenReleased: (lock) => navigator.locks.request(lock, () => {}),
    importModule: async (url) => (url === DECODING_MODULE ? DECODING_NAMES : importByAddress(url)),
    onError: onError ?? ((error) => console.error(error)),
    idleSeconds,
    reportSeconds,
    hangSeconds,
    ...host,
  });
}

/** Returns the default number of workers. */
function defaultWorkers(): number {
  if (typeof Worker === 'undefined') return 0;
  return Math.max(1, Math.min(4, Math.floor(cores() / 2)));
}

/** Returns the default number of an engine's workers, which run its loops, its decoding and tasks of the page. */
export function defaultEngineWorkers(): number {
  if (typeof Worker === 'undefined') return 0;
  return Math.max(1, Math.min(8, cores() - 1));
}

const cores = (): number => globalThis.navigator?.hardwareConcurrency ?? 2;

/**
 * Divides an engine's workers among the sets (SYSTEMS T2, T14). With 2 or more workers, tasks of the normal set leave
 * at least one worker free for the engine's loops and for urgent tasks. With 4 or more, background tasks have workers
 * of their own.
 *
 *   workers      1   2   3   4   5   6   7   8   12
 *   high         –   1   1   1   1   1   1   1    2
 *   normal       1   1   2   2   3   3   4   5    6
 *   background   –   –   –   1   1   2   2   2    4
 */
export function divideWorkers(workers: number): SetSizes {
  const high = workers < 2 ? 0 : Math.max(1, Math.floor(workers / 6));
  const background = workers < 4 ? 0 : Math.max(1, Math.floor(workers / 3));
  return { high, normal: workers - high - background, background };
}
