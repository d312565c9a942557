import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

/** A semaphore: a count of free places. `acquire` takes a place, and sleeps until one is free. */
export class TaskSemaphore {
  /** Words of shared memory that a semaphore takes. The program writes the first count into the memory. */
  static readonly words = 1;
  readonly #word: SharedWord;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.#word = new SharedWord(address, atomics);
  }

  /** Takes a place if one is free. @returns false if no place is free */
  tryAcquire(): boolean {
    for (;;) {
      const count = this.#word.load();
      if (count <= 0) return false;
      if (this.#word.compareExchange(count, count - 1) === count) return true;
    }
  }

  /**
   * Takes a place, and sleeps until one is free.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `wait-not-possible`; ThreadError `wait-timed-out`
   */
  acquire(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.tryAcquire()) this.#word.sleepWhile(0, deadline, 'a semaphore');
  }

  release(places = 1): void {
    this.#word.add(places);
    this.#word.notify(places);
  }
}
