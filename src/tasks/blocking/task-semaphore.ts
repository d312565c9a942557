import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

/** A count of places: `acquire` takes one, or sleeps until there is one. */
export class TaskSemaphore {
  /** Words of shared memory that it takes: the count. The one who makes the memory writes how many there are. */
  static readonly words = 1;
  readonly #word: SharedWord;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.#word = new SharedWord(address, atomics);
  }

  /** @returns false: there is none */
  tryAcquire(): boolean {
    for (;;) {
      const count = this.#word.load();
      if (count <= 0) return false;
      if (this.#word.compareExchange(count, count - 1) === count) return true;
    }
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  acquire(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.tryAcquire()) this.#word.sleepWhile(0, deadline, 'a semaphore');
  }

  release(places = 1): void {
    this.#word.add(places);
    this.#word.notify(places);
  }
}
