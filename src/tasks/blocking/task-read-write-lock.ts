import { type BlockingAtomics, type SharedPlace, SharedWord } from './shared-word.js';

/**
 * Many readers or one writer. A writer that waits keeps new readers out, so it gets its turn.
 *
 *   | holders: n readers, −1 a writer | writers that wait | turn |          whoever lets go moves on the turn, which all who wait look at
 */
export class TaskReadWriteLock {
  /** Words of shared memory that it takes. */
  static readonly words = 3;
  readonly #holders: SharedWord;
  readonly #writers: SharedWord;
  readonly #turn: SharedWord;

  constructor(place: SharedPlace, atomics: BlockingAtomics = Atomics) {
    this.#holders = new SharedWord(place, atomics, 0);
    this.#writers = new SharedWord(place, atomics, 1);
    this.#turn = new SharedWord(place, atomics, 2);
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  lockRead(deadline = Number.POSITIVE_INFINITY): void {
    for (;;) {
      // First the turn: what changes after the look ends the sleep.
      const turn = this.#turn.load();
      const holders = this.#holders.load();
      if (holders < 0 || this.#writers.load() > 0)
        this.#turn.sleepWhile(turn, deadline, 'a lock for reading');
      else if (this.#holders.compareExchange(holders, holders + 1) === holders) return;
    }
  }

  unlockRead(): void {
    if (this.#holders.add(-1) === 1) this.#moveOn();
  }

  /** As `lockRead`, alone. */
  lockWrite(deadline = Number.POSITIVE_INFINITY): void {
    this.#writers.add(1);
    try {
      for (;;) {
        const turn = this.#turn.load();
        if (this.#holders.compareExchange(0, -1) === 0) return;
        this.#turn.sleepWhile(turn, deadline, 'a lock for writing');
      }
    } catch (error) {
      // Readers that it has kept out are told that it has given up.
      this.#writers.add(-1);
      this.#moveOn();
      throw error;
    }
  }

  unlockWrite(): void {
    this.#writers.add(-1);
    this.#holders.store(0);
    this.#moveOn();
  }

  #moveOn(): void {
    this.#turn.add(1);
    this.#turn.notify();
  }
}
