import { OptionError } from '../../core/errors.js';
import { checkNames, checkOption } from '../../core/options/check-options.js';
import { unchecked } from '../../core/options/members.js';
import type { TaskHost } from '../../tasks/page/task-host.js';
import { TaskSystem } from '../../tasks/system/task-system.js';
import { importByAddress } from '../library-files/import-by-address.js';
import { startModuleWorker } from '../library-files/module-worker.js';
import { findTaskWorker } from '../library-files/worker-location.js';

export interface TaskSystemOptions {
  /**
   * The most workers: a whole number from 0 to 64. With 0 every task runs on this thread, a few milliseconds at a time.
   * Default: half of the machine's cores, at least 1 and at most 4; 0 where there are no workers.
   */
  readonly workers?: number;
  /** Workers besides, for tasks of the set `high` alone, which so find one that is free. Default 0: such tasks go before normal ones. */
  readonly highWorkers?: number;
  /** Workers besides, for tasks of the set `background` alone. Default 0: such tasks run as normal ones. */
  readonly backgroundWorkers?: number;
  /** Where `task-worker.js` is, if not beside the library. */
  readonly workerUrl?: string | URL;
  /** Seconds without a task after which the workers end; they start again when needed. Default 30. */
  readonly idleSeconds?: number;
  /** Seconds after which a task that has not returned is reported, by name. Default 5. */
  readonly reportSeconds?: number;
  /** Told what no future tells: a worker died, a task takes long. Default: the console. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Starts nothing yet: workers come with the first task.
 *
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 */
export function createTaskSystem(options: TaskSystemOptions = {}): TaskSystem {
  return createTaskSystemOf(options, {});
}

const OPTIONS = unchecked(
  'workers|highWorkers|backgroundWorkers|workerUrl|idleSeconds|reportSeconds|onError',
);

/** @param host what an engine adds */
export function createTaskSystemOf(
  options: TaskSystemOptions,
  host: Pick<TaskHost, 'openThreads' | 'otherThreads' | 'rings'>,
): TaskSystem {
  checkNames('createTaskSystem', options, OPTIONS);
  const {
    workers = defaultWorkers(),
    highWorkers = 0,
    backgroundWorkers = 0,
    workerUrl,
    idleSeconds,
    reportSeconds,
    onError,
  } = options;
  for (const [name, count] of Object.entries({ workers, highWorkers, backgroundWorkers })) {
    if (Number.isInteger(count) && count >= 0 && count <= 64) continue;
    throw new OptionError(
      'option-out-of-range',
      `The option "${name}" of createTaskSystem is ${String(count)}; it has to be a whole number from 0 to 64.`,
    );
  }
  const all = workers + highWorkers + backgroundWorkers;
  if (all > 64) {
    throw new OptionError(
      'option-out-of-range',
      `createTaskSystem was asked for ${all} workers in all; it can have 64. Ask for fewer.`,
    );
  }
  for (const [name, seconds] of Object.entries({ idleSeconds, reportSeconds })) {
    if (seconds === undefined || seconds > 0) continue;
    throw new OptionError(
      'option-out-of-range',
      `The option "${name}" of createTaskSystem is ${String(seconds)}; it has to be a number above 0.`,
    );
  }
  const base = globalThis.document?.baseURI;
  const isPlace = workerUrl === undefined || workerUrl instanceof URL || URL.canParse(workerUrl, base);
  checkOption('The option "workerUrl" of createTaskSystem', workerUrl, isPlace, 'a URL');
  const isCalled = onError === undefined || typeof onError === 'function';
  checkOption('The option "onError" of createTaskSystem', onError, isCalled, 'a function');
  return new TaskSystem({
    // Without normal workers there is nobody to fall back to: everything runs here.
    sizes:
      workers === 0
        ? { high: 0, normal: 0, background: 0 }
        : { high: highWorkers, normal: workers, background: backgroundWorkers },
    startWorker: () => startModuleWorker(findTaskWorker(workerUrl).href),
    whenReleased: (lock) => navigator.locks.request(lock, () => {}),
    importModule: (url) => importByAddress(url) as Promise<Readonly<Record<string, unknown>>>,
    onError: onError ?? ((error) => console.error(error)),
    idleSeconds,
    reportSeconds,
    ...host,
  });
}

/** Where no option says how many. */
export function defaultWorkers(): number {
  if (typeof Worker === 'undefined') return 0;
  return Math.max(1, Math.min(4, Math.floor((globalThis.navigator?.hardwareConcurrency ?? 2) / 2)));
}
