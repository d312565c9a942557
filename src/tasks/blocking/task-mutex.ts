import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, type SharedPlace, SharedWord } from './shared-word.js';

const FREE = 0;
const LOCKED = 1;
const CONTENDED = 2;
const POISONED = 3;

/**
 * Mutual exclusion of pool workers. One word: free, locked, or locked with somebody waiting, so that an uncontended
 * lock and unlock are one operation each.
 *
 *   free ─ lock ─► locked ─ another one wants it ─► contended ─ unlock ─► free, and one is woken, who makes it contended
 */
export class TaskMutex {
  /** Words of shared memory that it takes. */
  static readonly words = 1;
  readonly #word: SharedWord;

  constructor(place: SharedPlace, atomics: BlockingAtomics = Atomics) {
    this.#word = new SharedWord(place, atomics);
  }

  /** @returns false: somebody has it */
  tryLock(): boolean {
    return this.#word.compareExchange(FREE, LOCKED) === FREE;
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `lock-poisoned`, `wait-not-possible`; ThreadError `wait-timed-out` */
  lock(deadline = Number.POSITIVE_INFINITY): void {
    if (this.tryLock()) return;
    for (;;) {
      // Whoever has waited can't know whether others wait still, so it always leaves it contended.
      const before = this.#word.compareExchange(FREE, CONTENDED);
      if (before === FREE) return;
      if (before === POISONED) {
        throw new StateError(
          'lock-poisoned',
          'The thread that held this lock was killed; what it protects may be half-written. Make it anew.',
        );
      }
      if (before === LOCKED) this.#word.compareExchange(LOCKED, CONTENDED);
      else this.#word.sleepWhile(CONTENDED, deadline, 'a mutex');
    }
  }

  /** By the one that has it alone. */
  unlock(): void {
    if (this.#word.exchange(FREE) === CONTENDED) {
      this.#word.notify(1);
    }
  }

  /** The thread that has it is dead: whoever waits, or comes later, is told so. */
  poison(): void {
    this.#word.store(POISONED);
    this.#word.notify();
  }
}
