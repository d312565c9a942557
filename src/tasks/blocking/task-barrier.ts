import { type BlockingAtomics, type SharedPlace, SharedWord } from './shared-word.js';

/** As many threads as were said meet, and go on together; then it is ready for the next time. */
export class TaskBarrier {
  /** Words of shared memory that it takes. */
  static readonly words = 2;
  readonly #arrived: SharedWord;
  readonly #round: SharedWord;
  readonly #size: number;

  /** @param size threads that meet; as many workers have to be free for it, or it never opens */
  constructor(place: SharedPlace, size: number, atomics: BlockingAtomics = Atomics) {
    this.#arrived = new SharedWord(place, atomics, 0);
    this.#round = new SharedWord(place, atomics, 1);
    this.#size = size;
  }

  /** @returns true for the last one to arrive @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  arrive(deadline = Number.POSITIVE_INFINITY): boolean {
    const round = this.#round.load();
    if (this.#arrived.add(1) + 1 === this.#size) {
      // Before the round ends: those that it wakes may arrive for the next one at once.
      this.#arrived.store(0);
      this.#round.add(1);
      this.#round.notify();
      return true;
    }
    while (this.#round.load() === round) {
      this.#round.sleepWhile(round, deadline, 'a barrier');
    }
    return false;
  }
}
