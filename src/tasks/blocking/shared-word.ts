/**
 * The base of the blocking primitives for pool workers (SYSTEMS T13): a word of shared memory. Threads sleep
 * on it until it changes or an absolute deadline has passed. The page's thread, and threads that own a device
 * or a canvas, must not block. On them every call that would sleep throws.
 */
import { StateError } from '../../core/errors.js';
import { timedOut } from '../../sync/deadline.js';
import { isLent } from '../arguments/shared-array.js';
import { mayBlock } from './lock-holder.js';

/** Operations on shared words. Tests replace them with the operations of a scheduler that interleaves threads. */
export type BlockingAtomics = Pick<
  typeof Atomics,
  'load' | 'store' | 'add' | 'exchange' | 'compareExchange' | 'wait' | 'notify'
>;

/** The address of a word in a shared array, `sharedArray(Int32Array, n)`. Each primitive needs words of its own. */
export interface SharedAddress {
  readonly words: Int32Array;
  readonly index: number;
}

/** One word of a primitive, which threads change and on which they sleep. */
export class SharedWord {
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #atomics: BlockingAtomics;

  /**
   * @param offset distance from the address, in words
   * @throws StateError `memory-not-shared` in a task that has a copy of the words
   */
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

  /** @returns the previous value */
  add(value: number): number {
    return this.#atomics.add(this.#words, this.#index, value);
  }

  /** @returns the previous value */
  exchange(value: number): number {
    return this.#atomics.exchange(this.#words, this.#index, value);
  }

  /** @returns the previous value, which equals `expected` if the word was changed */
  compareExchange(expected: number, value: number): number {
    return this.#atomics.compareExchange(this.#words, this.#index, expected, value);
  }

  /** Wakes up to `count` threads that sleep on the word. Default: all. */
  notify(count = Number.POSITIVE_INFINITY): void {
    this.#atomics.notify(this.#words, this.#index, count);
  }

  /** Returns whether this thread may sleep on the word. If not, `sleepWhile` throws `wait-not-possible`. */
  canSleep(): boolean {
    if (!mayBlock()) return false;
    try {
      // With a timeout of 0 the call returns at once, or throws as a longer wait would.
      Atomics.wait(this.#words as Int32Array<SharedArrayBuffer>, this.#index, 0, 0);
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  }

  /**
   * Sleeps while the word has the expected value, at most until the deadline.
   *
   * @param deadline time of `performance.now()`, in milliseconds; Infinity: no limit
   * @param what name of the primitive, for errors
   * @throws StateError `wait-not-possible` on a thread that must not block, or on memory that is not shared;
   *   ThreadError `wait-timed-out`
   */
  sleepWhile(expected: number, deadline: number, what: string): void {
    // Check this flag, because browsers let every worker sleep, even a worker that draws.
    if (!mayBlock()) throw notPossible(what);
    const left = deadline - performance.now();
    if (left <= 0) throw timedOut('A task', what, 0);
    let outcome: string;
    try {
      outcome = this.#atomics.wait(this.#words as Int32Array<SharedArrayBuffer>, this.#index, expected, left);
    } catch (cause) {
      // `Atomics.wait` throws a TypeError on a thread that may not block, and for memory that is not shared.
      if (!(cause instanceof TypeError)) throw cause;
      throw notPossible(what, cause);
    }
    if (outcome === 'timed-out') throw timedOut('A task', what, left);
  }
}

/**
 * Rejects words in a copy that only one task has: no other thread would see a lock or a signal in it.
 * @throws StateError `memory-not-shared`
 */
export function checkShared(words: Int32Array): void {
  if (!isLent(words)) return;
  throw new StateError(
    'memory-not-shared',
    'A lock, signal or counter lies in this task’s own copy of the memory, so no other thread would see it change. Workers share memory in cross-origin isolated pages only. Order the tasks by `prerequisites` instead, and wait for their futures.',
  );
}

/** Returns the error of a thread that can't sleep. @param what name of the primitive */
export function notPossible(what: string, cause?: unknown): StateError {
  return new StateError(
    'wait-not-possible',
    `This thread can't wait for ${what}: only pool workers may block, and only on shared memory. Await a task instead.`,
    { cause },
  );
}
