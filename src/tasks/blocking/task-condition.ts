import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';
import type { TaskMutex } from './task-mutex.js';

/**
 * A condition variable: somebody who has a mutex waits until another one has changed what it protects. Wake-ups may come without a
 * reason, so a wait stands in a loop that looks.
 *
 *   lock ─► while (!ready) condition.wait(mutex) ─► … ─► unlock          lock ─► ready = true ─► unlock ─► condition.notify()
 */
export class TaskCondition {
  /** Words of shared memory that it takes. */
  static readonly words = 1;
  readonly #word: SharedWord;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.#word = new SharedWord(address, atomics);
  }

  /** Unlocks, sleeps, and locks again. @throws as `TaskMutex.lock`, with the mutex locked */
  wait(mutex: TaskMutex, deadline = Number.POSITIVE_INFINITY): void {
    // Read while the mutex is held: a notification that follows the unlocking changes it, and the sleep ends at once.
    const calls = this.#word.load();
    mutex.unlock();
    try {
      this.#word.sleepWhile(calls, deadline, 'a condition');
    } finally {
      mutex.lock();
    }
  }

  /** Wakes one that waits; `notifyAll` wakes all. */
  notify(): void {
    this.#word.add(1);
    this.#word.notify(1);
  }

  notifyAll(): void {
    this.#word.add(1);
    this.#word.notify();
  }
}
