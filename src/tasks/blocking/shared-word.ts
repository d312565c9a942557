/**
 * What the blocking primitives for pool workers have in common: words of shared memory, sleeping until one changes, and
 * deadlines that are points on the clock (SYSTEMS T13). The page's thread, and a thread that owns a device or a canvas, must
 * not block: there every call that may sleep is refused.
 */
import { StateError } from '../../core/errors.js';
import { timedOut } from '../../sync/deadline.js';
import { isLent } from '../arguments/shared-array.js';
import { mayBlock } from './lock-holder.js';

/** Operations on shared words; a test puts an interleaving scheduler in their place. */
export type BlockingAtomics = Pick<
  typeof Atomics,
  'load' | 'store' | 'add' | 'exchange' | 'compareExchange' | 'wait' | 'notify'
>;

/** A word in an array that is shared: `sharedArray(Int32Array, n)`, each primitive with words of its own in it. */
export interface SharedAddress {
  readonly words: Int32Array;
  readonly index: number;
}

/** One word that primitives change and sleep on. */
export class SharedWord {
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #atomics: BlockingAtomics;

  /** @param offset words behind the address @throws StateError `memory-not-shared` in a task that has a copy of the words */
  constructor({ words, index }: SharedAddress, atomics: BlockingAtomics, offset = 0) {
    checkShared(words);
    this.#words = words;
    this.#index = index + offset;
    this.#atomics = atomics;
  }

  load(): number {
    return this.#atomics.load(this.#words, this.#index);
  }

  store(value: number): void {
    this.#atomics.store(this.#words, this.#index, value);
  }

  /** @returns what it was */
  add(value: number): number {
    return this.#atomics.add(this.#words, this.#index, value);
  }

  /** @returns what it was */
  exchange(value: number): number {
    return this.#atomics.exchange(this.#words, this.#index, value);
  }

  /** @returns what it was: `expected` where it has been changed */
  compareExchange(expected: number, value: number): number {
    return this.#atomics.compareExchange(this.#words, this.#index, expected, value);
  }

  /** Wakes so many of those that sleep on it; all by default. */
  notify(count = Number.POSITIVE_INFINITY): void {
    this.#atomics.notify(this.#words, this.#index, count);
  }

  /**
   * Sleeps while it is as expected, at most until the deadline.
   *
   * @param deadline a point on the clock of `performance.now()`, milliseconds; Infinity: no limit
   * @param what the thing that is waited for, in an error's words
   * @throws StateError `wait-not-possible` on a thread that must not block, or on memory that is not shared; ThreadError
   *   `wait-timed-out`
   */
  sleepWhile(expected: number, deadline: number, what: string): void {
    // Browsers let every worker sleep, also one that draws.
    if (!mayBlock()) throw notPossible(what);
    const left = deadline - performance.now();
    if (left <= 0) throw timedOut('A task', what, 0);
    let outcome: string;
    try {
      outcome = this.#atomics.wait(this.#words as Int32Array<SharedArrayBuffer>, this.#index, expected, left);
    } catch (cause) {
      // As the specification has it for both.
      if (!(cause instanceof TypeError)) throw cause;
      throw notPossible(what, cause);
    }
    if (outcome === 'timed-out') throw timedOut('A task', what, left);
  }
}

/**
 * Nobody but the task would see what it writes into its copy: a lock there would be free for everyone, a signal heard by none.
 * @throws StateError `memory-not-shared`
 */
export function checkShared(words: Int32Array): void {
  if (!isLent(words)) return;
  throw new StateError(
    'memory-not-shared',
    'A lock, signal or counter lies in memory that this task has a copy of, so no other thread would see it change: workers share memory in cross-origin isolated pages only. Order the tasks by `prerequisites`, and wait for their futures.',
  );
}

function notPossible(what: string, cause?: unknown): StateError {
  return new StateError(
    'wait-not-possible',
    `${what} can't be waited for here: only pool workers may block, on memory that is shared. Await a task instead.`,
    { cause },
  );
}
