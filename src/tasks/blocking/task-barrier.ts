import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

/** What the word of the round says when somebody has given up. */
const BROKEN = -1;

/**
 * As many threads as were said meet, and go on together; then it is ready for the next time. A thread that gives up at its deadline
 * has been counted, and might be counted again: so the barrier is broken then, for those that wait and for those that come.
 *
 *   | arrived | round: 0, 1, 2 … or broken |
 */
export class TaskBarrier {
  /** Words of shared memory that it takes. */
  static readonly words = 2;
  readonly #arrived: SharedWord;
  readonly #round: SharedWord;
  readonly #size: number;

  /** @param size threads that meet; as many workers have to be free for it, or it never opens */
  constructor(address: SharedAddress, size: number, atomics: BlockingAtomics = Atomics) {
    this.#arrived = new SharedWord(address, atomics, 0);
    this.#round = new SharedWord(address, atomics, 1);
    this.#size = size;
  }

  /**
   * @returns true for the last one to arrive
   * @throws StateError `wait-not-possible`, `barrier-broken`; ThreadError `wait-timed-out`
   */
  arrive(deadline = Number.POSITIVE_INFINITY): boolean {
    const round = this.#round.load();
    if (round === BROKEN) throw broken();
    const next = (round + 1) & 0x7fffffff;
    if (this.#arrived.add(1) + 1 === this.#size) {
      // Before the round ends: those that it wakes may arrive for the next one at once.
      this.#arrived.store(0);
      if (this.#round.compareExchange(round, next) !== round) throw broken();
      this.#round.notify();
      return true;
    }
    try {
      while (this.#round.load() === round) this.#round.sleepWhile(round, deadline, 'a barrier');
    } catch (error) {
      // Whoever comes first decides: the one that gives up, or the last one to arrive.
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
    "Somebody has given up waiting at this barrier, so that it can't open any more. Make it anew.",
  );
}
