/**
 * Which locks a worker has, in words that outlive it: if it dies, the page finds there what to poison (SYSTEMS T11, T13).
 *
 *   of each worker   | memory, word, kind and step | memory, word, kind and step | …        a lock each; memory 0: no lock
 *
 * A note is made before a lock is tried and taken back after it was let go. So a note alone does not say that the lock is held: the lock's
 * own word names its holder, or the step says how far the worker has got.
 */
import type { BlockingAtomics, SharedAddress } from './shared-word.js';

/** Locks of one worker that are noted at a time; more of them are not known after its death. */
const NOTES = 16;
const NOTE_WORDS = 3;
export const HELD_WORDS = NOTES * NOTE_WORDS;

export const LockKind = { mutex: 0, reader: 1, writer: 2 } as const;
export type LockKind = (typeof LockKind)[keyof typeof LockKind];

/** `changing`: in the middle of taking it or letting it go. `waiting`: counted as one that waits. */
export const LockStep = { changing: 0, waiting: 1, held: 2 } as const;
export type LockStep = (typeof LockStep)[keyof typeof LockStep];

interface HeldLock {
  /** The memory's number plus 1. */
  readonly memory: number;
  readonly index: number;
  readonly kind: LockKind;
  readonly step: LockStep;
}

/** What locks say of themselves on the thread that uses them. */
export interface LockHolder {
  /** From 1 to 2³⁰ − 1: by it lock words name their holder. */
  readonly identity: number;
  /** Where there is no room for it, the lock is not known after the worker's death. */
  note(address: SharedAddress, kind: LockKind): void;
  /** Of a note that is not at this step: one that is `changing` becomes another one, or another one becomes that. */
  step(address: SharedAddress, kind: LockKind, step: LockStep): void;
  /** Of a note that is `changing`: where a reader has the lock twice, the other note stays. */
  forget(address: SharedAddress, kind: LockKind): void;
  /** This thread has it, as far as is noted. */
  isHeld(address: SharedAddress, kind: LockKind): boolean;
}

/** Threads that are no workers of a pool: nothing is noted of the page's, which does not die alone. */
export const UNKNOWN_HOLDER: LockHolder = {
  identity: 1,
  note: () => {},
  step: () => {},
  forget: () => {},
  isHeld: () => false,
};

let current = UNKNOWN_HOLDER;
export const lockHolder = (): LockHolder => current;
/** Of this thread from now on. */
export function setLockHolder(holder: LockHolder): void {
  current = holder;
}

let canBlock = true;
/** False: locks that this thread would have to sleep for are refused. */
export const mayBlock = (): boolean => canBlock;
/** Of this thread from now on. Browsers refuse to put a page's thread to sleep by themselves, and no worker's: not the ones that draw, either. */
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

  /** @param at the first of `HELD_WORDS` words @param numberOf numbers that the page knows as well */
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
      // Last: only now the note is there.
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

  /** All notes, which are gone with that: the worker is dead. */
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

  /** The first note of a lock at such a step; −1: none. A lock that is had twice has two. */
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
