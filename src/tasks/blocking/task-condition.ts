import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';
import type { TaskMutex } from './task-mutex.js';

/**
 * A condition variable. A thread that holds a mutex waits until another thread has changed the protected data. Wake-ups
 * may be spurious, so wait in a loop that checks the data.
 *
 *   lock ─► while (!ready) condition.wait(mutex) ─► … ─► unlock          lock ─► ready = true ─► unlock ─► condition.notify()
 */
export class TaskCondition {
  /** Words of shared memory that a condition takes. */
  static readonly words = 1;
  readonly #word: SharedWord;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.#word = new SharedWord(address, atomics);
  }

  /**
   * Unlocks the mutex, sleeps, and locks it again.
   * @throws as `TaskMutex.lock`; after `wait-timed-out` the mutex is locked
   */
  wait(mutex: TaskMutex, deadline = Number.POSITIVE_INFINITY): void {
    // Read the word while the mutex is held: a notification after `unlock` changes it, and then the sleep ends at once.
    const calls = this.#word.load();
    mutex.unlock();
    try {
      this.#word.sleepWhile(calls, deadline, 'a condition');
    } finally {
      mutex.lock();
    }
  }

  /** Wakes one waiting thread; `notifyAll` wakes all. */
  notify(): void {
    this.#word.add(1);
    this.#word.notify(1);
  }

  notifyAll(): void {
    this.#word.add(1);
    this.#word.notify();
  }
}
