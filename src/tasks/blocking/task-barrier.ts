import { type BlockingAtomics, type SharedPlace, sleepWhile } from './shared-word.js';

const ARRIVED = 0;
const ROUND = 1;

/** As many threads as were said meet, and go on together; then it is ready for the next time. */
export class TaskBarrier {
  /** Words of shared memory that it takes. */
  static readonly words = 2;
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #size: number;
  readonly #atomics: BlockingAtomics;

  /** @param size threads that meet; as many workers have to be free for it, or it never opens */
  constructor({ words, index }: SharedPlace, size: number, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.#index = index;
    this.#size = size;
    this.#atomics = atomics;
  }

  /** @returns true for the last one to arrive @throws StateError `wait-not-possible`; ThreadError `wait-timed-out` */
  arrive(deadline = Number.POSITIVE_INFINITY): boolean {
    const round = this.#atomics.load(this.#words, this.#index + ROUND);
    if (this.#atomics.add(this.#words, this.#index + ARRIVED, 1) + 1 === this.#size) {
      // Before the round ends: those that it wakes may arrive for the next one at once.
      this.#atomics.store(this.#words, this.#index + ARRIVED, 0);
      this.#atomics.add(this.#words, this.#index + ROUND, 1);
      this.#atomics.notify(this.#words, this.#index + ROUND);
      return true;
    }
    while (this.#atomics.load(this.#words, this.#index + ROUND) === round) {
      sleepWhile(this.#atomics, this.#words, this.#index + ROUND, round, deadline, 'a barrier');
    }
    return false;
  }
}
