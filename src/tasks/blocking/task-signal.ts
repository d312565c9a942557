import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, checkShared, type SharedPlace, SharedWord } from './shared-word.js';

/**
 * An event that pool workers sleep for: set until `reset`, or for the first that has waited (`isAutomatic`).
 */
export class TaskSignal {
  /** Words of shared memory that it takes. */
  static readonly words = 1;
  readonly index: number;
  readonly #word: SharedWord;
  readonly #isAutomatic: boolean;

  constructor(place: SharedPlace, isAutomatic = false, atomics: BlockingAtomics = Atomics) {
    this.index = place.index;
    this.#word = new SharedWord(place, atomics);
    this.#isAutomatic = isAutomatic;
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
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
 * Events for use and return: waiting for something needs one for a moment, and memory for each would pile up.
 *
 *   | used? × n | state × n |
 */
export class SignalPool {
  readonly #place: SharedPlace;
  readonly #size: number;
  readonly #atomics: BlockingAtomics;

  /** Words of shared memory that so many take. */
  static wordsFor(size: number): number {
    return size * 2;
  }

  constructor(place: SharedPlace, size: number, atomics: BlockingAtomics = Atomics) {
    checkShared(place.words);
    this.#place = place;
    this.#size = size;
    this.#atomics = atomics;
  }

  /** One that nobody uses, not set. @throws StateError `signals-used-up` */
  take(isAutomatic = false): TaskSignal {
    for (let place = 0; place < this.#size; place++) {
      if (this.#used(place).compareExchange(0, 1) !== 0) continue;
      const { words, index } = this.#place;
      const own = { words, index: index + this.#size + place };
      const signal = new TaskSignal(own, isAutomatic, this.#atomics);
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
    this.#used(index - this.#size - this.#place.index).store(0);
  }

  #used(place: number): SharedWord {
    return new SharedWord(this.#place, this.#atomics, place);
  }
}
