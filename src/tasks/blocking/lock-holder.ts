/**
 * Notes of the locks that a worker holds, in shared memory that outlives the worker. If the worker dies, the page
 * reads from the notes which locks to poison, so that waiting threads get an error (SYSTEMS T11, T13).
 *
 *   per worker   | memory, word, kind and step | memory, word, kind and step | …       one lock each; memory 0: no lock
 *
 * A note is written before a lock is tried, and removed after it is released. So a note alone does not mean that the
 * lock is held. The lock's own word names its holder, or the step of the note shows how far the worker got.
 */
import type { BlockingAtomics, SharedAddress } from './shared-word.js';

/** Largest number of notes per worker. The page can't poison locks beyond this number after the worker's death. */
const NOTES = 16;
const NOTE_WORDS = 3;
export const HELD_WORDS = NOTES * NOTE_WORDS;

export const LockKind = { mutex: 0, reader: 1, writer: 2 } as const;
export type LockKind = (typeof LockKind)[keyof typeof LockKind];

/**
 * Progress of a worker with a lock. `changing`: the worker is taking or releasing the lock. `waiting`: the lock counts
 * the worker as a waiting writer. `held`: the worker holds the lock for reading.
 */
export const LockStep = { changing: 0, waiting: 1, held: 2 } as const;
export type LockStep = (typeof LockStep)[keyof typeof LockStep];

interface HeldLock {
  /** The memory's number plus 1. */
  readonly memory: number;
  readonly index: number;
  readonly kind: LockKind;
  readonly step: LockStep;
}

/** Keeps the notes of one thread. The locks call its methods. */
export interface LockHolder {
  /** Number of the thread in lock words, from 1 to 2³⁰ − 1. */
  readonly identity: number;
  /** Writes a note of the lock, or nothing if all notes are in use. */
  note(address: SharedAddress, kind: LockKind): void;
  /** Moves a note of the lock from `changing` to another step, or from another step to `changing`. */
  step(address: SharedAddress, kind: LockKind, step: LockStep): void;
  /**
   * Removes a note of the lock at the step `changing`. A reader that holds the lock twice has two notes, and keeps
   * one.
   */
  forget(address: SharedAddress, kind: LockKind): void;
  /** Returns whether this thread has a note of the lock at the step `held`. */
  isHeld(address: SharedAddress, kind: LockKind): boolean;
}

/** The holder of threads without notes, such as the page's thread. The death of such a thread poisons no locks. */
export const UNKNOWN_HOLDER: LockHolder = {
  identity: 1,
  note: () => {},
  step: () => {},
  forget: () => {},
  isHeld: () => false,
};

let current = UNKNOWN_HOLDER;
export const lockHolder = (): LockHolder => current;
/** Sets the holder of this thread, for locks created from now on. */
export function setLockHolder(holder: LockHolder): void {
  current = holder;
}

let canBlock = true;
/** Returns whether this thread may sleep. If not, waits that would sleep throw. */
export const mayBlock = (): boolean => canBlock;
/**
 * Sets whether this thread may sleep. Browsers forbid it only for the page's thread, but a worker that draws must not
 * sleep either.
 */
export function setMayBlock(isAllowed: boolean): void {
  canBlock = isAllowed;
}

/** The notes of one worker. */
export class HeldLocks implements LockHolder {
  readonly identity: number;
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #numberOf: (memory: SharedArrayBuffer) => number;
  readonly #atomics: Pick<BlockingAtomics, 'load' | 'store'>;

  /**
   * @param at index of the first of `HELD_WORDS` words
   * @param numberOf returns the number that identifies a memory on the page
   */
  constructor(
    words: Int32Array,
    at: number,
    identity: number,
    numberOf: (memory: SharedArrayBuffer) => number,
    atomics: Pick<BlockingAtomics, 'load' | 'store'> = Atomics,
  ) {
    this.identity = identity;
    this.#words = words;
    this.#at = at;
    this.#numberOf = numberOf;
    this.#atomics = atomics;
  }

  note({ words, index }: SharedAddress, kind: LockKind): void {
    if (!isShared(words.buffer)) return;
    const memory = this.#numberOf(words.buffer) + 1;
    for (let at = this.#at; at < this.#at + HELD_WORDS; at += NOTE_WORDS) {
      if (this.#atomics.load(this.#words, at) !== 0) continue;
      this.#atomics.store(this.#words, at + 1, words.byteOffset / 4 + index);
      this.#atomics.store(this.#words, at + 2, kind * 4 + LockStep.changing);
      // Store the memory's number last: it makes the note valid.
      this.#atomics.store(this.#words, at, memory);
      return;
    }
  }

  step(address: SharedAddress, kind: LockKind, step: LockStep): void {
    const note = this.#find(
      address,
      kind,
      (now) => (now === LockStep.changing) !== (step === LockStep.changing),
    );
    if (note >= 0) this.#atomics.store(this.#words, note + 2, kind * 4 + step);
  }

  forget(address: SharedAddress, kind: LockKind): void {
    const note = this.#find(address, kind, (now) => now === LockStep.changing);
    if (note >= 0) this.#atomics.store(this.#words, note, 0);
  }

  isHeld(address: SharedAddress, kind: LockKind): boolean {
    return this.#find(address, kind, (now) => now === LockStep.held) >= 0;
  }

  /** Yields and removes all notes of a dead worker. */
  *takeAll(): Iterable<HeldLock> {
    for (let at = this.#at; at < this.#at + HELD_WORDS; at += NOTE_WORDS) {
      const memory = this.#atomics.load(this.#words, at);
      if (memory === 0) continue;
      const state = this.#atomics.load(this.#words, at + 2);
      this.#atomics.store(this.#words, at, 0);
      yield {
        memory,
        index: this.#atomics.load(this.#words, at + 1),
        kind: (state >> 2) as LockKind,
        step: (state & 3) as LockStep,
      };
    }
  }

  /**
   * Returns the index of the first note of the lock at a matching step, or −1. A lock that is held twice has two notes.
   */
  #find({ words, index }: SharedAddress, kind: LockKind, isMeant: (step: LockStep) => boolean): number {
    if (!isShared(words.buffer)) return -1;
    const memory = this.#numberOf(words.buffer) + 1;
    const word = words.byteOffset / 4 + index;
    for (let at = this.#at; at < this.#at + HELD_WORDS; at += NOTE_WORDS) {
      if (this.#atomics.load(this.#words, at) !== memory) continue;
      if (this.#atomics.load(this.#words, at + 1) !== word) continue;
      const state = this.#atomics.load(this.#words, at + 2);
      if (state >> 2 === kind && isMeant((state & 3) as LockStep)) return at;
    }
    return -1;
  }
}

function isShared(memory: ArrayBufferLike): memory is SharedArrayBuffer {
  return typeof SharedArrayBuffer !== 'undefined' && memory instanceof SharedArrayBuffer;
}
