import { type BlockingAtomics, type SharedPlace, sleepWhile } from './shared-word.js';
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
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #atomics: BlockingAtomics;

  constructor({ words, index }: SharedPlace, atomics: BlockingAtomics = Atomics) {
    this.#words = words;
    this.#index = index;
    this.#atomics = atomics;
  }

  /** Unlocks, sleeps, and locks again. @throws as `TaskMutex.lock`, with the mutex locked */
  wait(mutex: TaskMutex, deadline = Number.POSITIVE_INFINITY): void {
    // Read while the mutex is held: a notification that follows the unlocking changes it, and the sleep ends at once.
    const calls = this.#atomics.load(this.#words, this.#index);
    mutex.unlock();
    try {
      sleepWhile(this.#atomics, this.#words, this.#index, calls, deadline, 'a condition');
    } finally {
      mutex.lock();
    }
  }

  /** Wakes one that waits; `notifyAll` wakes all. */
  notify(): void {
    this.#atomics.add(this.#words, this.#index, 1);
    this.#atomics.notify(this.#words, this.#index, 1);
  }

  notifyAll(): void {
    this.#atomics.add(this.#words, this.#index, 1);
    this.#atomics.notify(this.#words, this.#index);
  }
}
