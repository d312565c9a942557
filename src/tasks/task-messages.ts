/** What the page and a pool worker say to each other, on the worker's own port. */
import type { ErrorData } from '../core/errors.js';
import type { Changes, PackedArguments } from './task-arguments.js';

/** To the worker. It does one after the other. */
export type TaskOrder =
  /** Loads a module, which is called by the number from then on. */
  | { readonly kind: 'load'; readonly module: number; readonly url: string }
  /** Runs a task once over a range. */
  | ({ readonly kind: 'run'; readonly begin: number; readonly end: number } & TaskPlace)
  /** Takes ranges of `batch` indices from the counter, and runs the task over each, until none is left. */
  | ({
      readonly kind: 'share';
      /** [next index] in shared memory; beyond `count` nothing is left. */
      readonly counter: Int32Array;
      readonly count: number;
      readonly batch: number;
    } & TaskPlace);

interface TaskPlace {
  readonly module: number;
  readonly name: string;
  readonly args: unknown;
  /** In place of `args` where no memory is shared. */
  readonly packed: PackedArguments | null;
}

/** From the worker: the answer to the order before, each to one. */
export type TaskAnswer =
  | { readonly kind: 'done'; readonly result: unknown; readonly changes: readonly Changes[] }
  | { readonly kind: 'failed'; readonly thrown: unknown; readonly error: ErrorData };
