import { canShare } from './shared-array.js';
import type { Ranges } from './take-ranges.js';
import { packArguments } from './task-arguments.js';
import type { TaskFuture } from './task-future.js';
import type { UntypedTasks } from './task-module.js';

/** One order to a worker, or a call on this thread. */
export interface Job {
  readonly module: LoadedModule;
  readonly name: string;
  readonly args: unknown;
  readonly begin: number;
  readonly end: number;
  /** With it, the job takes ranges until none is left. */
  readonly ranges: Ranges | null;
  readonly future: TaskFuture<unknown>;
  /** Nobody wants it any more. */
  readonly isOver: boolean;
  readonly onDone: (result: unknown) => void;
}

export interface LoadedModule {
  readonly number: number;
  readonly url: string;
  readonly tasks: UntypedTasks;
}

export function jobOf(
  module: LoadedModule,
  name: string,
  args: unknown,
  begin: number,
  end: number,
  future: TaskFuture<unknown>,
  onDone: (result: unknown) => void,
  ranges: Ranges | null = null,
): Job {
  return {
    ...{ module, name, args, begin, end, ranges, future, onDone },
    get isOver() {
      return future.isSettled;
    },
  };
}

/** @param originals receives the memory that is copied for it */
export function orderOf({ args, begin, end, ranges }: Job, originals: ArrayBuffer[]) {
  if (ranges) return { kind: 'share', ...ranges, args, packed: null } as const;
  if (canShare()) return { kind: 'run', begin, end, args, packed: null } as const;
  return { kind: 'run', begin, end, args: undefined, packed: packArguments(args, originals) } as const;
}
