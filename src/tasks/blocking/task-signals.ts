import { StateError } from '../../core/errors.js';
import {
  type BlockingAtomics,
  checkShared,
  notPossible,
  type SharedAddress,
  SharedWord,
} from './shared-word.js';
import type { TaskMutex } from './task-locks.js';

/**
 * An event that pool workers wait for. Once set, it stays set until `reset`. With `isAutomatic`, the first wait that
 * ends resets it.
 */
export class TaskSignal {
  /** Words of shared memory that a signal takes. */
  static readonly words = 1;
  readonly index: number;
  readonly #word: SharedWord;
  readonly #isAutomatic: boolean;

  constructor(address: SharedAddress, isAutomatic = false, atomics: BlockingAtomics = Atomics) {
    this.index = address.index;
    this.#word = new SharedWord(address, atomics);
    this.#isAutomatic = isAutomatic;
  }

  /**
   * Sleeps until the event is set.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `wait-not-possible`; ThreadError `wait-timed-out`
   */
  wait(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.#isSet()) this.#word.sleepWhile(0, deadline, 'an event');
  }

  set(): void {
    this.#word.store(1);
    this.#word.notify(this.#isAutomatic ? 1 : Number.POSITIVE_INFINITY);
  }

  reset(): void {
    this.#word.store(0);
  }

  #isSet(): boolean {
    return this.#isAutomatic ? this.#word.compareExchange(1, 0) === 1 : this.#word.load() === 1;
  }
}

/**
 * A pool of events, for code that needs an event only for a short time.
 *
 *   | used? × n | state × n |
 */
export class SignalPool {
  readonly #address: SharedAddress;
  readonly #size: number;
  readonly #atomics: BlockingAtomics;

  /** Returns the words of shared memory that a pool of `size` events takes. */
  static wordsFor(size: number): number {
    return size * 2;
  }

  constructor(address: SharedAddress, size: number, atomics: BlockingAtomics = Atomics) {
    checkShared(address.words);
    this.#address = address;
    this.#size = size;
    this.#atomics = atomics;
  }

  /** Takes a free event, which is not set. @throws StateError `signals-used-up` */
  take(isAutomatic = false): TaskSignal {
    for (let slot = 0; slot < this.#size; slot++) {
      if (this.#used(slot).compareExchange(0, 1) !== 0) continue;
      const { words, index } = this.#address;
      const own = { words, index: index + this.#size + slot };
      const signal = new TaskSignal(own, isAutomatic, this.#atomics);
      signal.reset();
      return signal;
    }
    throw new StateError(
      'signals-used-up',
      `All ${this.#size} events of the pool are in use. Give them back, or create a larger pool.`,
    );
  }

  /** Returns an event to the pool. No thread may wait for the event any more. */
  giveBack({ index }: TaskSignal): void {
    this.#used(index - this.#size - this.#address.index).store(0);
  }

  #used(slot: number): SharedWord {
    return new SharedWord(this.#address, this.#atomics, slot);
  }
}

/** A semaphore: a count of free places. `acquire` takes a place, and sleeps until one is free. */
export class TaskSemaphore {
  /** Words of shared memory that a semaphore takes. The program writes the initial count into the memory. */
  static readonly words = 1;
  readonly #word: SharedWord;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.#word = new SharedWord(address, atomics);
  }

  /** Takes a place if one is free. @returns false if no place is free */
  tryAcquire(): boolean {
    for (;;) {
      const count = this.#word.load();
      if (count <= 0) return false;
      if (this.#word.compareExchange(count, count - 1) === count) return true;
    }
  }

  /**
   * Takes a place, and sleeps until one is free.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `wait-not-possible`; ThreadError `wait-timed-out`
   */
  acquire(deadline = Number.POSITIVE_INFINITY): void {
    while (!this.tryAcquire()) this.#word.sleepWhile(0, deadline, 'a semaphore');
  }

  release(places = 1): void {
    this.#word.add(places);
    this.#word.notify(places);
  }
}

/**
 * A condition variable. A thread that holds a mutex waits until another thread has changed the protected data. Wake-ups
 * may be spurious, so wait in a loop that checks the data.
 *
 *   lock ─► while (!ready) condition.wait(mutex) ─► … ─► unlock    lock ─► ready = true ─► unlock ─► condition.notify()
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
   * @param deadline limit of the sleep, in milliseconds of `performance.now()`; locking again has no limit
   * @throws as `TaskMutex.lock` and `TaskMutex.unlock`; after `wait-timed-out` the mutex is locked
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

  /** @param size number of threads that meet; the barrier can open only if that many workers are free */
  constructor(address: SharedAddress, size: number, atomics: BlockingAtomics = Atomics) {
    this.#arrived = new SharedWord(address, atomics, 0);
    this.#round = new SharedWord(address, atomics, 1);
    this.#size = size;
  }

  /**
   * Waits until all threads have arrived.
   * @param deadline time of `performance.now()`, in milliseconds
   * @returns true for the last thread to arrive
   * @throws StateError `wait-not-possible`, `barrier-broken`; ThreadError `wait-timed-out`
   */
  arrive(deadline = Number.POSITIVE_INFINITY): boolean {
    const round = this.#round.load();
    if (round === BROKEN) throw broken();
    const next = (round + 1) & 0x7fffffff;
    const last = this.#size - 1;
    const canSleep = this.#round.canSleep();
    // A thread that can't sleep only counts if it is the last one. Otherwise it throws without breaking the barrier.
    const arrived = canSleep ? this.#arrived.add(1) : this.#arrived.compareExchange(last, this.#size);
    if (arrived === last) {
      // Reset the count before the round ends: woken threads may arrive for the next round at once.
      this.#arrived.store(0);
      if (this.#round.compareExchange(round, next) !== round) throw broken();
      this.#round.notify();
      return true;
    }
    if (!canSleep) throw notPossible('a barrier');
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
