import { StateError } from '../../core/errors.js';
import { type LockHolder, LockKind, lockHolder } from './lock-holder.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

const FREE = 0;
const POISONED = -1;
const CONTENDED = 1;

/**
 * Mutual exclusion of pool workers, in one word. While the mutex is not free, the word holds the identity of its
 * holder, and whether a thread waits. So an uncontended lock and unlock are one operation each.
 *
 *   free ─ lock ─► holder ─ another lock ─► holder, contended ─ unlock ─► free; one waiter wakes and takes it as contended
 *                     └──── the holder's worker dies ───┴─────► poisoned: every later lock throws
 */
export class TaskMutex {
  /** Words of shared memory that a mutex takes. */
  static readonly words = 1;
  readonly #word: SharedWord;
  readonly #address: SharedAddress;
  readonly #holder: LockHolder;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics, holder: LockHolder = lockHolder()) {
    this.#word = new SharedWord(address, atomics);
    this.#address = address;
    this.#holder = holder;
  }

  /** Locks the mutex if it is free. @returns false if a thread holds it, or it is poisoned */
  tryLock(): boolean {
    this.#holder.note(this.#address, LockKind.mutex);
    if (this.#word.compareExchange(FREE, this.#holder.identity << 1) === FREE) return true;
    this.#holder.forget(this.#address, LockKind.mutex);
    return false;
  }

  /**
   * Locks the mutex, and sleeps until it is free.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `lock-poisoned`, `wait-not-possible`; ThreadError `wait-timed-out`
   */
  lock(deadline = Number.POSITIVE_INFINITY): void {
    this.#holder.note(this.#address, LockKind.mutex);
    try {
      this.#lock(deadline);
    } catch (error) {
      this.#holder.forget(this.#address, LockKind.mutex);
      throw error;
    }
  }

  /**
   * Unlocks the mutex. Only its holder may call it. A poisoned mutex stays poisoned.
   * @throws StateError `lock-not-held`
   */
  unlock(): void {
    const mine = this.#holder.identity << 1;
    const contended = mine | CONTENDED;
    // Change only values that this thread can have stored: another thread may poison the mutex at any time.
    if (this.#word.compareExchange(mine, FREE) !== mine) {
      const before = this.#word.compareExchange(contended, FREE);
      if (before === contended) this.#word.notify(1);
      else if (before !== POISONED) throw notHeld();
    }
    this.#holder.forget(this.#address, LockKind.mutex);
  }

  /**
   * Poisons the mutex of a dead holder, so that waiting and later calls of `lock` throw. Pools do this for their own
   * workers.
   */
  poison(): void {
    this.#word.store(POISONED);
    this.#word.notify();
  }

  /** @internal Poisons the mutex if the dead worker with this identity held it. @returns whether it did */
  poisonOf(identity: number): boolean {
    for (;;) {
      const before = this.#word.load();
      if (before <= 0 || before >> 1 !== identity) {
        // The worker may have died between releasing the mutex and waking the waiters.
        this.#word.notify();
        return false;
      }
      // Waiters may mark the mutex as contended meanwhile.
      if (this.#word.compareExchange(before, POISONED) !== before) continue;
      this.#word.notify();
      return true;
    }
  }

  #lock(deadline: number): void {
    const { identity } = this.#holder;
    if (this.#word.compareExchange(FREE, identity << 1) === FREE) return;
    for (;;) {
      // A thread that has waited can't know whether other threads still wait, so it always takes the mutex as
      // contended.
      const before = this.#word.compareExchange(FREE, (identity << 1) | CONTENDED);
      if (before === FREE) return;
      if (before === POISONED) throw lockPoisoned();
      if (before & CONTENDED) this.#word.sleepWhile(before, deadline, 'a mutex');
      else this.#word.compareExchange(before, before | CONTENDED);
    }
  }
}

function notHeld(): StateError {
  return new StateError(
    'lock-not-held',
    'This thread unlocks a mutex that it does not hold. Lock it first, and unlock it once.',
  );
}

export function lockPoisoned(): StateError {
  return new StateError(
    'lock-poisoned',
    'The thread that held this lock was killed; the data that it protects may be half-written. Create both again.',
  );
}
