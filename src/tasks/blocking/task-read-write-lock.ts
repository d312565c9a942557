import { type LockHolder, LockKind, LockStep, lockHolder } from './lock-holder.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';
import { lockPoisoned } from './task-mutex.js';

/**
 * Value that poisons a lock. Later releases still change it a little, so all values below a limit count as poisoned.
 */
const POISONED = -(2 ** 31) + 2 ** 29;
const isPoisoned = (holders: number): boolean => holders < -1 - 2 ** 30;

/**
 * A lock for many readers or one writer. A waiting writer keeps new readers out, so it gets its turn. A thread that
 * reads already may lock for reading again, because the writer waits for it.
 *
 *   | holders: n for n readers, −1 − identity for a writer | waiting writers | turn |
 *
 * The release by a writer or by the last reader advances the word `turn`, on which all waiters sleep. A worker that
 * dies while it writes, or while it takes or releases the lock, poisons it. A dead reader has changed nothing, and is
 * only subtracted from the readers.
 */
export class TaskReadWriteLock {
  /** Words of shared memory that a lock takes. */
  static readonly words = 3;
  readonly #holders: SharedWord;
  readonly #writers: SharedWord;
  readonly #turn: SharedWord;
  readonly #address: SharedAddress;
  readonly #holder: LockHolder;

  constructor(address: SharedAddress, atomics: BlockingAtomics = Atomics, holder: LockHolder = lockHolder()) {
    this.#holders = new SharedWord(address, atomics, 0);
    this.#writers = new SharedWord(address, atomics, 1);
    this.#turn = new SharedWord(address, atomics, 2);
    this.#address = address;
    this.#holder = holder;
  }

  /**
   * Locks for reading, and sleeps while a writer holds the lock or waits for it.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `lock-poisoned`, `wait-not-possible`; ThreadError `wait-timed-out`
   */
  lockRead(deadline = Number.POSITIVE_INFINITY): void {
    for (;;) {
      // Read the turn first: a later release changes it, and then the sleep ends at once.
      const turn = this.#turn.load();
      const holders = this.#holders.load();
      if (isPoisoned(holders)) throw lockPoisoned();
      if (holders < 0 || (this.#writers.load() > 0 && !this.#holder.isHeld(this.#address, LockKind.reader)))
        this.#turn.sleepWhile(turn, deadline, 'a lock for reading');
      else if (this.#countReader(holders)) return;
    }
  }

  unlockRead(): void {
    this.#holder.step(this.#address, LockKind.reader, LockStep.changing);
    if (this.#holders.add(-1) === 1) this.#advanceTurn();
    this.#holder.forget(this.#address, LockKind.reader);
  }

  /**
   * Locks for writing, and sleeps until no other thread holds the lock.
   * @param deadline as `lockRead`
   * @throws as `lockRead`
   */
  lockWrite(deadline = Number.POSITIVE_INFINITY): void {
    this.#holder.note(this.#address, LockKind.writer);
    this.#writers.add(1);
    this.#holder.step(this.#address, LockKind.writer, LockStep.waiting);
    try {
      for (;;) {
        const turn = this.#turn.load();
        const before = this.#holders.compareExchange(0, -1 - this.#holder.identity);
        if (before === 0) return;
        if (isPoisoned(before)) throw lockPoisoned();
        this.#turn.sleepWhile(turn, deadline, 'a lock for writing');
      }
    } catch (error) {
      // Wake the readers that this writer has kept out.
      this.#holder.step(this.#address, LockKind.writer, LockStep.changing);
      this.#writers.add(-1);
      this.#advanceTurn();
      this.#holder.forget(this.#address, LockKind.writer);
      throw error;
    }
  }

  unlockWrite(): void {
    this.#holder.step(this.#address, LockKind.writer, LockStep.changing);
    this.#writers.add(-1);
    this.#holders.compareExchange(-1 - this.#holder.identity, 0);
    this.#advanceTurn();
    this.#holder.forget(this.#address, LockKind.writer);
  }

  /**
   * @internal Handles the death of a worker whose note has this step.
   * @returns whether the lock is poisoned now
   */
  endOf(identity: number, kind: LockKind, step: LockStep): boolean {
    const isWriting = this.#holders.load() === -1 - identity;
    if (step === LockStep.changing || isWriting) {
      this.#holders.store(POISONED);
      this.#advanceTurn();
      return true;
    }
    if (kind === LockKind.reader) this.#holders.add(-1);
    else this.#writers.add(-1);
    this.#advanceTurn();
    return false;
  }

  #countReader(holders: number): boolean {
    this.#holder.note(this.#address, LockKind.reader);
    if (this.#holders.compareExchange(holders, holders + 1) === holders) {
      this.#holder.step(this.#address, LockKind.reader, LockStep.held);
      return true;
    }
    this.#holder.forget(this.#address, LockKind.reader);
    return false;
  }

  #advanceTurn(): void {
    this.#turn.add(1);
    this.#turn.notify();
  }
}
