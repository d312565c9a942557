import { type BlockingAtomics, type SharedPlace, sleepWhile } from './shared-word.js';

/** A count of places: `acquire` takes one, or sleeps until there is one. */
export class TaskSemaphore {
  /** Words of shared memory that it takes: the count. The one who makes the memory writes how many there are. */
  static readonly words = 1;
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #atomics: BlockingAtomics;

  constructor({ words, index }: SharedPlace, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.#index = index;
    this.#atomics = atomics;
  }

  /** @returns false: there is none */
  tryAcquire(): boolean {
    for (;;) {
      const count = this.#atomics.load(this.#words, this.#index);
      if (count <= 0) return false;
      if (this.#atomics.compareExchange(this.#words, this.#index, count, count - 1) === count) return true;
    }
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  acquire(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.tryAcquire())
      sleepWhile(this.#atomics, this.#words, this.#index, 0, deadline, 'a semaphore');
  }

  release(places = 1): void {
    this.#atomics.add(this.#words, this.#index, places);
    this.#atomics.notify(this.#words, this.#index, places);
  }
}
