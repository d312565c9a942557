import type { Clock } from '../../sync/deadline.js';
import type { FenceInvitation } from '../../sync/fences/fence-options.js';
import type { ImportModule } from '../task-module.js';
import type { TaskRings } from '../task-rings.js';
import type { SetSizes } from '../task-sets.js';
import type { WorkerLike } from './pool-worker.js';

/** An invitation of a worker to a group of fences. */
export interface WorkerInvitation {
  readonly invitation: FenceInvitation;
  readonly transfer: Transferable[];
  /** Frees the worker's place in the group. Called once the worker has ended. */
  evict(): void;
}

/** The environment of a task system. */
export interface TaskHost {
  /** Largest number of workers per set. If all are 0, all tasks run on this thread. */
  readonly sizes: SetSizes;
  readonly startWorker: (name: string) => WorkerLike;
  /**
   * Resolves when the lock is free. A worker holds the lock until it ends. Without this function, only its silence
   * shows that a worker has ended without an error (`watchPoolWorker`).
   */
  readonly whenReleased?: ((lock: string) => Promise<void>) | undefined;
  readonly importModule: ImportModule;
  /** Attaches the named threads besides `game`. Called once, when a task first names one of them. */
  readonly openThreads?: (() => Promise<void>) | undefined;
  /** Returns the engine's threads that run no tasks, for the list of all threads. */
  readonly otherThreads?: (() => readonly string[]) | undefined;
  /**
   * Invites a worker to the engine's fences.
   * @throws FencepostError if the worker can't join the fences
   */
  readonly inviteToFences?: (() => WorkerInvitation) | undefined;
  /** Records which thread runs a task, and when. */
  readonly rings?: TaskRings | undefined;
  /** Receives errors that no future reports: a worker died, a task is slow, or a task without waiters failed. */
  readonly onError: (error: unknown) => void;
  readonly idleSeconds?: number | undefined;
  readonly reportSeconds?: number | undefined;
  /** Silence during a task, in seconds, after which its worker is ended. Default: no limit. */
  readonly hangSeconds?: number | undefined;
  /** Silence of a worker without a task, in seconds, after which the worker is ended. Default 5. */
  readonly idleHangSeconds?: number | undefined;
  /** Returns the share of a processor that a thread gets now, 0 to 1. Default: measures it. */
  readonly processorShare?: (() => number) | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Returns the host with a guarded `onError`. Errors that `onError` throws are reported as uncaught, and don't interrupt
 * the caller.
 */
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
