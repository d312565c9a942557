import { canShare } from './arguments/shared-array.js';
import { packArguments } from './arguments/task-arguments.js';
import type { TaskFuture } from './futures/task-future.js';
import type { UntypedTasks } from './task-module.js';
import type { TaskTarget } from './task-sets.js';

/** One order to a worker, or a call on this thread. */
export interface Job {
  readonly module: LoadedModule;
  readonly name: string;
  readonly args: unknown;
  readonly begin: number;
  readonly end: number;
  /** With it, the job takes ranges until none is left. */
  readonly ranges: JobRanges | null;
  readonly future: TaskFuture<unknown>;
  /** Nobody wants it any more. */
  readonly isOver: boolean;
  /** @param milliseconds what it cost, where it was measured and is no result itself */
  readonly onDone: (result: unknown, milliseconds?: number) => void;
  readonly target: TaskTarget;
}

/** Ranges that several jobs take from one counter, or one job from its own. */
export interface JobRanges {
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
  /** The counter's number in the memory that all threads have; −1: it has memory of its own. */
  readonly number: number;
  /** Whoever has a range gives halves of it away; the counter says only whether the loop goes on. */
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
): Job {
  return {
    ...{ module, name, args, begin, end, ranges, future, onDone, target },
    get isOver() {
      return future.isSettled;
    },
  };
}

/** @param originals receives the memory that is copied for it @param sourceOf numbers it */
export function orderOf(
  { args, begin, end, ranges }: Job,
  originals: ArrayBuffer[],
  sourceOf: (memory: ArrayBuffer) => number,
) {
  const given = canShare()
    ? { args, packed: null }
    : { args: undefined, packed: packArguments(args, originals, sourceOf) };
  if (!ranges) return { kind: 'run', begin, end, ...given } as const;
  const { counter, count, batch } = ranges;
  return { kind: 'share', counter, count, batch, ...given } as const;
}
