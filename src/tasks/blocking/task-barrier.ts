import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

/** Value of the round's word once a thread has given up. */
const BROKEN = -1;

/**
 * A barrier: `size` threads meet and continue together, then the next round begins. A thread that gives up at its
 * deadline stays counted, and would count twice if it arrived again. So it breaks the barrier: waiting and later
 * threads get an error.
 *
 *   | arrived | round: 0, 1, 2 … or broken |
 */
export class TaskBarrier {
  /** Words of shared memory that a barrier takes. */
  static readonly words = 2;
  readonly #arrived: SharedWord;
  readonly #round: SharedWord;
  readonly #size: number;

  /** @param size number of threads that meet; the barrier can open only if as many workers are free */
  constructor(address: SharedAddress, size: number, atomics: BlockingAtomics = Atomics) {
    this.#arrived = new SharedWord(address, atomics, 0);
    this.#round = new SharedWord(address, atomics, 1);
    this.#size = size;
  }

  /**
   * Waits until all threads have arrived.
   * @returns true for the last thread to arrive
   * @throws StateError `wait-not-possible`, `barrier-broken`; ThreadError `wait-timed-out`
   */
  arrive(deadline = Number.POSITIVE_INFINITY): boolean {
    const round = this.#round.load();
    if (round === BROKEN) throw broken();
    const next = (round + 1) & 0x7fffffff;
    if (this.#arrived.add(1) + 1 === this.#size) {
      // Reset the count before the round ends: woken threads may arrive for the next round at once.
      this.#arrived.store(0);
      if (this.#round.compareExchange(round, next) !== round) throw broken();
      this.#round.notify();
      return true;
    }
    try {
      while (this.#round.load() === round) this.#round.sleepWhile(round, deadline, 'a barrier');
    } catch (error) {
      // The first change decides: this thread breaks the barrier, or the last thread to arrive has opened it.
      const before = this.#round.compareExchange(round, BROKEN);
      if (before !== round && before !== BROKEN) return false;
      this.#round.notify();
      throw error;
    }
    if (this.#round.load() === BROKEN) throw broken();
    return false;
  }
}

function broken(): StateError {
  return new StateError(
    'barrier-broken',
    "A thread has given up waiting at this barrier, so it can't open any more. Create it again.",
  );
}
