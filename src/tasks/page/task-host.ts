import type { Clock } from '../../sync/deadline.js';
import type { ImportModule } from '../task-module.js';
import type { TaskRings } from '../task-rings.js';
import type { SetSizes } from '../task-sets.js';
import type { WorkerLike } from './pool-worker.js';

/** What a task system is made of. */
export interface TaskHost {
  /** The most workers; none: everything runs on this thread. */
  readonly sizes: SetSizes;
  readonly startWorker: (name: string) => WorkerLike;
  /** Resolves when nobody has the lock any more, which a worker holds while it lives; without it deaths in silence stay unnoticed. */
  readonly whenReleased?: ((lock: string) => Promise<void>) | undefined;
  readonly importModule: ImportModule;
  /** Attaches the threads that have names besides this one; called once, when one of them is named. */
  readonly openThreads?: (() => Promise<void>) | undefined;
  /** Of the engine, that run no tasks: for the list of all threads. */
  readonly otherThreads?: (() => readonly string[]) | undefined;
  /** Where it is noted who runs a task, and when. */
  readonly rings?: TaskRings | undefined;
  /** What no future tells: a worker died, a task takes long, a task that nobody waits for failed. */
  readonly onError: (error: unknown) => void;
  readonly idleSeconds?: number | undefined;
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** The same host, whose `onError` may throw: that is reported as what an event's listener throws is, and holds nothing up. */
export function withGuardedErrors(host: TaskHost): TaskHost {
  const onError = (error: unknown): void => {
    try {
      host.onError(error);
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  };
  return { ...host, onError };
}
