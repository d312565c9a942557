import { StateError } from '../../core/errors.js';
import { HeldLocks, type LockHolder, LockKind, LockStep, lockHolder } from './lock-holder.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

const FREE = 0;
const POISONED = -1;
const CONTENDED = 1;

/**
 * Mutual exclusion of pool workers, in one word. While the mutex is not free, the word holds the identity of its
 * holder, and whether a thread waits. So an uncontended lock and unlock are one operation each.
 *
 *   free ─ lock ─► holder ─ another lock ─► holder, contended ─ unlock ─► free; one waiter takes it as contended
 *                     └──── the holder's worker dies ───┴─────► poisoned: waiting and later locks throw
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

function lockPoisoned(): StateError {
  return new StateError(
    'lock-poisoned',
    'The thread that held this lock was killed; the data that it protects may be half-written. Create the lock and its data again.',
  );
}

/**
 * Value that poisons a lock. Later releases still change it a little, so all values below a limit count as poisoned.
 */
const POISONED_HOLDERS = -(2 ** 31) + 2 ** 29;
const isPoisoned = (holders: number): boolean => holders < -1 - 2 ** 30;

/**
 * A lock for many readers or one writer. A waiting writer keeps new readers out, so it gets its turn. A worker that
 * already holds the lock for reading, by its notes, may lock it for reading again: the writer waits for that worker.
 *
 *   | holders: n for n readers, −1 − identity for a writer | waiting and active writers | turn |
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
      this.#holders.store(POISONED_HOLDERS);
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

/**
 * Returns a random identity for a worker, which no other worker is likely to have. Several pools of a page may use the
 * same locks, also pools of another copy of the library.
 */
export function nextIdentity(): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 2 + (random % (2 ** 30 - 2));
}

/**
 * Cleans up the locks of a dead worker. Poisons the mutexes that it held, and the read-write locks that it held for
 * writing or was taking or releasing. Other read-write locks stop counting it as a reader or a waiting writer.
 *
 * @param at index of the first word of the worker's notes
 * @returns descriptions of the poisoned locks
 */
export function poisonHeld(
  words: Int32Array,
  at: number,
  identity: number,
  find: (memory: number) => SharedArrayBuffer | undefined,
  atomics: BlockingAtomics = Atomics,
): string[] {
  const poisoned: string[] = [];
  const notes = new HeldLocks(words, at, identity, () => 0, atomics);
  for (const { memory, index, kind, step } of notes.takeAll()) {
    const buffer = find(memory - 1);
    if (!buffer) continue;
    const address = { words: new Int32Array(buffer), index };
    const isPoisoned =
      kind === LockKind.mutex
        ? new TaskMutex(address, atomics).poisonOf(identity)
        : new TaskReadWriteLock(address, atomics).endOf(identity, kind, step);
    const name = kind === LockKind.mutex ? 'a mutex' : 'a read-write lock';
    if (isPoisoned) poisoned.push(`${name} at word ${index} of a shared array`);
  }
  return poisoned;
}
