import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, checkShared, type SharedAddress, SharedWord } from './shared-word.js';

/**
 * An event for which pool workers sleep. A set event stays set until `reset`. With `isAutomatic`, one wait
 * that ends resets it.
 */
export class TaskSignal {
  /** Words of shared memory that a signal takes. */
  static readonly words = 1;
  readonly index: number;
  readonly #word: SharedWord;
  readonly #isAutomatic: boolean;

  constructor(address: SharedAddress, isAutomatic = false, atomics: BlockingAtomics = Atomics) {
    this.index = address.index;
    this.#word = new SharedWord(address, atomics);
    this.#isAutomatic = isAutomatic;
  }

  /**
   * Sleeps until the event is set.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `wait-not-possible`; ThreadError `wait-timed-out`
   */
  wait(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.#isSet()) this.#word.sleepWhile(0, deadline, 'an event');
  }

  set(): void {
    this.#word.store(1);
    this.#word.notify(this.#isAutomatic ? 1 : Number.POSITIVE_INFINITY);
  }

  reset(): void {
    this.#word.store(0);
  }

  #isSet(): boolean {
    return this.#isAutomatic ? this.#word.compareExchange(1, 0) === 1 : this.#word.load() === 1;
  }
}

/**
 * A pool of events, for code that needs an event only for a short time.
 *
 *   | used? × n | state × n |
 */
export class SignalPool {
  readonly #address: SharedAddress;
  readonly #size: number;
  readonly #atomics: BlockingAtomics;

  /** Returns the words of shared memory that a pool of `size` events takes. */
  static wordsFor(size: number): number {
    return size * 2;
  }

  constructor(address: SharedAddress, size: number, atomics: BlockingAtomics = Atomics) {
    checkShared(address.words);
    this.#address = address;
    this.#size = size;
    this.#atomics = atomics;
  }

  /** Takes a free event, which is not set. @throws StateError `signals-used-up` */
  take(isAutomatic = false): TaskSignal {
    for (let slot = 0; slot < this.#size; slot++) {
      if (this.#used(slot).compareExchange(0, 1) !== 0) continue;
      const { words, index } = this.#address;
      const own = { words, index: index + this.#size + slot };
      const signal = new TaskSignal(own, isAutomatic, this.#atomics);
      signal.reset();
      return signal;
    }
    throw new StateError(
      'signals-used-up',
      `All ${this.#size} events of the pool are in use. Give them back, or create a larger pool.`,
    );
  }

  /** Gives an event back. No thread may wait for it any more. */
  giveBack({ index }: TaskSignal): void {
    this.#used(index - this.#size - this.#address.index).store(0);
  }

  #used(slot: number): SharedWord {
    return new SharedWord(this.#address, this.#atomics, slot);
  }
}
