import { type BlockingAtomics, type SharedPlace, sleepWhile } from './shared-word.js';

const HOLDERS = 0;
const WRITERS = 1;
const TURN = 2;

/**
 * Many readers or one writer. A writer that waits keeps new readers out, so it gets its turn.
 *
 *   | holders: n readers, −1 a writer | writers that wait | turn |          whoever lets go moves on the turn, which all who wait look at
 */
export class TaskReadWriteLock {
  /** Words of shared memory that it takes. */
  static readonly words = 3;
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #atomics: BlockingAtomics;

  constructor({ words, index }: SharedPlace, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.#index = index;
    this.#atomics = atomics;
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  lockRead(deadline = Number.POSITIVE_INFINITY): void {
    for (;;) {
      // First the turn: what changes after the look ends the sleep.
      const turn = this.#load(TURN);
      const holders = this.#load(HOLDERS);
      if (holders < 0 || this.#load(WRITERS) > 0) this.#sleep(turn, deadline, 'a lock for reading');
      else if (this.#change(holders, holders + 1)) return;
    }
  }

  unlockRead(): void {
    if (this.#atomics.sub(this.#words, this.#index + HOLDERS, 1) === 1) this.#moveOn();
  }

  /** As `lockRead`, alone. */
  lockWrite(deadline = Number.POSITIVE_INFINITY): void {
    this.#atomics.add(this.#words, this.#index + WRITERS, 1);
    try {
      for (;;) {
        const turn = this.#load(TURN);
        if (this.#change(0, -1)) return;
        this.#sleep(turn, deadline, 'a lock for writing');
      }
    } catch (error) {
      // Readers that it has kept out are told that it has given up.
      this.#atomics.sub(this.#words, this.#index + WRITERS, 1);
      this.#moveOn();
      throw error;
    }
  }

  unlockWrite(): void {
    this.#atomics.sub(this.#words, this.#index + WRITERS, 1);
    this.#atomics.store(this.#words, this.#index + HOLDERS, 0);
    this.#moveOn();
  }

  #load(word: number): number {
    return this.#atomics.load(this.#words, this.#index + word);
  }

  #change(from: number, to: number): boolean {
    return this.#atomics.compareExchange(this.#words, this.#index + HOLDERS, from, to) === from;
  }

  #sleep(turn: number, deadline: number, what: string): void {
    sleepWhile(this.#atomics, this.#words, this.#index + TURN, turn, deadline, what);
  }

  #moveOn(): void {
    this.#atomics.add(this.#words, this.#index + TURN, 1);
    this.#atomics.notify(this.#words, this.#index + TURN);
  }
}
