import { canShare } from './arguments/shared-array.js';
import { packArguments } from './arguments/task-arguments.js';
import type { TaskFuture } from './futures/task-future.js';
import type { UntypedTasks } from './task-module.js';
import type { TaskTarget } from './task-sets.js';

/** A job: one order to a worker, or one call on this thread. */
export interface Job {
  readonly module: LoadedModule;
  readonly name: string;
  readonly args: unknown;
  readonly begin: number;
  readonly end: number;
  /** Ranges that the job takes until none is left; `null` if the job is one call. */
  readonly ranges: JobRanges | null;
  readonly future: TaskFuture<unknown>;
  /** True when its task has settled, so that the job need not run any more. */
  readonly isOver: boolean;
  /**
   * @param milliseconds cost of a job that is one call; undefined if it was not measured. A job with `ranges` returns
   *   its cost as the result
   */
  readonly onDone: (result: unknown, milliseconds?: number) => void;
  readonly target: TaskTarget;
  /** Measured cost in milliseconds; undefined if the job has not been measured, or may wait for other tasks. */
  readonly cost: number | undefined;
  /** Jobs that this job merges; `null` if it merges none. */
  readonly pieces: readonly Job[] | null;
  /**
   * Ports that are transferred to the task. The task holds its worker while it serves them, and is not reported as
   * slow.
   */
  readonly ports: readonly MessagePort[];
}

/** Ranges that several jobs take from one counter, or that one job takes from its own counter. */
export interface JobRanges {
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
  /** The counter's number in the memory that all threads share; −1 if the counter has memory of its own. */
  readonly number: number;
  /**
   * Whether each thread gives halves of its range to other threads. The counter then only shows whether the loop
   * continues.
   */
  readonly isRecursive: boolean;
}

export interface LoadedModule {
  readonly number: number;
  readonly url: string;
  readonly tasks: UntypedTasks;
  readonly names: readonly string[];
}

export function jobOf(
  module: LoadedModule,
  name: string,
  args: unknown,
  begin: number,
  end: number,
  future: TaskFuture<unknown>,
  onDone: Job['onDone'],
  target: TaskTarget,
  ranges: JobRanges | null = null,
  ports: readonly MessagePort[] = [],
  cost?: number,
): Job {
  return {
    ...{ module, name, args, begin, end, ranges, future, onDone, target, ports, cost, pieces: null },
    get isOver() {
      return future.isSettled;
    },
  };
}

/**
 * Creates the order of a job: the message that a worker receives.
 * @param originals receives the memory that is copied for the order
 * @param sourceOf returns the number that identifies copied memory on the page
 */
export function orderOf(
  { args, begin, end, ranges, ports }: Job,
  originals: ArrayBuffer[],
  sourceOf: (memory: ArrayBuffer) => number,
) {
  const given = canShare()
    ? { args, packed: null }
    : { args: undefined, packed: packArguments(args, originals, sourceOf) };
  if (!ranges) return { kind: 'run', begin, end, ...given, holdsWorker: ports.length > 0 } as const;
  const { counter, count, batch } = ranges;
  return { kind: 'share', counter, count, batch, ...given } as const;
}
