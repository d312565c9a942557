import { StateError } from '../../core/errors.js';
import { type LockHolder, LockKind, lockHolder } from './lock-holder.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

const FREE = 0;
const POISONED = -1;
const CONTENDED = 1;

/**
 * Mutual exclusion of pool workers. One word: free, or who has it and whether somebody waits, so that an uncontended
 * lock and unlock are one operation each.
 *
 *   free ─ lock ─► holder ─ another one wants it ─► holder, contended ─ unlock ─► free, and one is woken, who makes it contended
 *                     └──────── the holder's worker dies ───────┴─────► poisoned: nobody gets it any more
 */
export class TaskMutex {
  /** Words of shared memory that it takes. */
  static readonly words = 1;
  readonly #word: SharedWord;
  readonly #address: SharedAddress;
  readonly #holder: LockHolder;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics, holder: LockHolder = lockHolder()) {
    this.#word = new SharedWord(address, atomics);
    this.#address = address;
    this.#holder = holder;
  }

  /** @returns false: somebody has it, or it is poisoned */
  tryLock(): boolean {
    this.#holder.note(this.#address, LockKind.mutex);
    if (this.#word.compareExchange(FREE, this.#holder.identity << 1) === FREE) return true;
    this.#holder.forget(this.#address, LockKind.mutex);
    return false;
  }

  /** @param deadline on the clock of `performance.now()` @throws StateError `lock-poisoned`, `wait-not-possible`; ThreadError `wait-timed-out` */
  lock(deadline = Number.POSITIVE_INFINITY): void {
    this.#holder.note(this.#address, LockKind.mutex);
    try {
      this.#lock(deadline);
    } catch (error) {
      this.#holder.forget(this.#address, LockKind.mutex);
      throw error;
    }
  }

  /** By the one that has it alone. A poisoned mutex stays so. @throws StateError `lock-not-held` */
  unlock(): void {
    const mine = this.#holder.identity << 1;
    const contended = mine | CONTENDED;
    // From exactly what this thread has made of it: another one may poison it at any time.
    if (this.#word.compareExchange(mine, FREE) !== mine) {
      const before = this.#word.compareExchange(contended, FREE);
      if (before === contended) this.#word.notify(1);
      else if (before !== POISONED) throw notHeld();
    }
    this.#holder.forget(this.#address, LockKind.mutex);
  }

  /** The thread that has it is dead: whoever waits, or comes later, is told so. Pools do it themselves for their workers. */
  poison(): void {
    this.#word.store(POISONED);
    this.#word.notify();
  }

  /** @internal A worker has died. @returns whether it had the lock, which is poisoned now */
  poisonOf(identity: number): boolean {
    for (;;) {
      const before = this.#word.load();
      if (before <= 0 || before >> 1 !== identity) {
        // It may have let go of the lock and died before it woke who waits.
        this.#word.notify();
        return false;
      }
      // Others may say meanwhile that they wait.
      if (this.#word.compareExchange(before, POISONED) !== before) continue;
      this.#word.notify();
      return true;
    }
  }

  #lock(deadline: number): void {
    const { identity } = this.#holder;
    if (this.#word.compareExchange(FREE, identity << 1) === FREE) return;
    for (;;) {
      // Whoever has waited can't know whether others wait still, so it always leaves it contended.
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
    'This thread unlocks a mutex that it does not have. Lock it first, and unlock it once.',
  );
}

export function lockPoisoned(): StateError {
  return new StateError(
    'lock-poisoned',
    'The thread that held this lock was killed; what it protects may be half-written. Make it anew.',
  );
}
