import { type LockHolder, LockKind, LockStep, lockHolder } from './lock-holder.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';
import { lockPoisoned } from './task-mutex.js';

/** Whoever lets go of a poisoned lock changes the number a little: it stays below all others. */
const POISONED = -(2 ** 31) + 2 ** 29;
const isPoisoned = (holders: number): boolean => holders < -1 - 2 ** 30;

/**
 * Many readers or one writer. A writer that waits keeps new readers out, so it gets its turn; a thread that reads already may read
 * once more, because the writer waits for it.
 *
 *   | holders: n readers, −1 − identity a writer | writers that wait | turn |
 *
 * Whoever lets go moves on the turn, which all who wait look at. A worker that dies with the lock for writing, or while it
 * takes or leaves it, poisons it; one that was reading has changed nothing, and is counted off.
 */
export class TaskReadWriteLock {
  /** Words of shared memory that it takes. */
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

  /** @param deadline on the clock of `performance.now()` @throws StateError `lock-poisoned`, `wait-not-possible`; ThreadError `wait-timed-out` */
  lockRead(deadline = Number.POSITIVE_INFINITY): void {
    for (;;) {
      // First the turn: what changes after the look ends the sleep.
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
    if (this.#holders.add(-1) === 1) this.#moveOn();
    this.#holder.forget(this.#address, LockKind.reader);
  }

  /** As `lockRead`, alone. */
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
      // Readers that it has kept out are told that it has given up.
      this.#holder.step(this.#address, LockKind.writer, LockStep.changing);
      this.#writers.add(-1);
      this.#moveOn();
      this.#holder.forget(this.#address, LockKind.writer);
      throw error;
    }
  }

  unlockWrite(): void {
    this.#holder.step(this.#address, LockKind.writer, LockStep.changing);
    this.#writers.add(-1);
    this.#holders.compareExchange(-1 - this.#holder.identity, 0);
    this.#moveOn();
    this.#holder.forget(this.#address, LockKind.writer);
  }

  /** @internal A worker has died, and this is how far it was. @returns whether the lock is poisoned now */
  endOf(identity: number, kind: LockKind, step: LockStep): boolean {
    const isWriting = this.#holders.load() === -1 - identity;
    if (step === LockStep.changing || isWriting) {
      this.#holders.store(POISONED);
      this.#moveOn();
      return true;
    }
    if (kind === LockKind.reader) this.#holders.add(-1);
    else this.#writers.add(-1);
    this.#moveOn();
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

  #moveOn(): void {
    this.#turn.add(1);
    this.#turn.notify();
  }
}
