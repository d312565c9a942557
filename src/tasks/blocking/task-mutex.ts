import { StateError } from '../../core/errors.js';
import { type BlockingAtomics, type SharedPlace, sleepWhile } from './shared-word.js';

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
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #atomics: BlockingAtomics;

  constructor({ words, index }: SharedPlace, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.#index = index;
    this.#atomics = atomics;
  }

  /** @returns false: somebody has it */
  tryLock(): boolean {
    return this.#atomics.compareExchange(this.#words, this.#index, FREE, LOCKED) === FREE;
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `lock-poisoned`, `wait-not-possible`; ThreadError `wait-timed-out` */
  lock(deadline = Number.POSITIVE_INFINITY): void {
    if (this.tryLock()) return;
    for (;;) {
      // Whoever has waited can't know whether others wait still, so it always leaves it contended.
      const before = this.#atomics.compareExchange(this.#words, this.#index, FREE, CONTENDED);
      if (before === FREE) return;
      if (before === POISONED) {
        throw new StateError(
          'lock-poisoned',
          'The thread that held this lock was killed; what it protects may be half-written. Make it anew.',
        );
      }
      if (before === LOCKED) this.#atomics.compareExchange(this.#words, this.#index, LOCKED, CONTENDED);
      else sleepWhile(this.#atomics, this.#words, this.#index, CONTENDED, deadline, 'a mutex');
    }
  }

  /** By the one that has it alone. */
  unlock(): void {
    if (this.#atomics.exchange(this.#words, this.#index, FREE) === CONTENDED) {
      this.#atomics.notify(this.#words, this.#index, 1);
    }
  }

  /** The thread that has it is dead: whoever waits, or comes later, is told so. */
  poison(): void {
    this.#atomics.store(this.#words, this.#index, POISONED);
    this.#atomics.notify(this.#words, this.#index);
  }
}
