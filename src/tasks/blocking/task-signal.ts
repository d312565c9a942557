import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, type SharedPlace, sleepWhile } from './shared-word.js';

/**
 * An event that pool workers sleep for: set until `reset`, or for the first that has waited (`isAutomatic`).
 */
export class TaskSignal {
  /** Words of shared memory that it takes. */
  static readonly words = 1;
  readonly index: number;
  readonly #words: Int32Array;
  readonly #isAutomatic: boolean;
  readonly #atomics: BlockingAtomics;

  constructor({ words, index }: SharedPlace, isAutomatic = false, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.index = index;
    this.#isAutomatic = isAutomatic;
    this.#atomics = atomics;
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  wait(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.#isSet()) sleepWhile(this.#atomics, this.#words, this.index, 0, deadline, 'an event');
  }

  set(): void {
    this.#atomics.store(this.#words, this.index, 1);
    this.#atomics.notify(this.#words, this.index, this.#isAutomatic ? 1 : Number.POSITIVE_INFINITY);
  }

  reset(): void {
    this.#atomics.store(this.#words, this.index, 0);
  }

  #isSet(): boolean {
    return this.#isAutomatic
      ? this.#atomics.compareExchange(this.#words, this.index, 1, 0) === 1
      : this.#atomics.load(this.#words, this.index) === 1;
  }
}

/**
 * Events for use and return: waiting for something needs one for a moment, and memory for each would pile up.
 *
 *   | used? × n | state × n |
 */
export class SignalPool {
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #size: number;
  readonly #atomics: BlockingAtomics;

  /** Words of shared memory that so many take. */
  static wordsFor(size: number): number {
    return size * 2;
  }

  constructor({ words, index }: SharedPlace, size: number, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.#index = index;
    this.#size = size;
    this.#atomics = atomics;
  }

  /** One that nobody uses, not set. @throws StateError `signals-used-up` */
  take(isAutomatic = false): TaskSignal {
    for (let place = 0; place < this.#size; place++) {
      if (this.#atomics.compareExchange(this.#words, this.#index + place, 0, 1) !== 0) continue;
      const index = this.#index + this.#size + place;
      const signal = new TaskSignal({ words: this.#words, index }, isAutomatic, this.#atomics);
      signal.reset();
      return signal;
    }
    throw new StateError(
      'signals-used-up',
      `All ${this.#size} events of the pool are in use. Give them back, or make a larger pool.`,
    );
  }

  /** Nobody waits for it any more. */
  giveBack({ index }: TaskSignal): void {
    this.#atomics.store(this.#words, index - this.#size, 0);
  }
}
