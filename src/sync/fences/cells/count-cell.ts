/**
 * A cell for the engine's counts of frames and lists (SYSTEMS F1, F5). One thread signals it. Every other thread
 * reads it, and has a monitored value of its own. Values are numbers below 2^53, stored as two words of 32 bits. So
 * neither signalling nor reading allocates; 64-bit atomics would, because they return bigints.
 *
 *   byte 0 version │ 8 copy 0: low, high │ 16 copy 1: low, high │ 24 monitored value of slot 0: low, high │ 32 slot 1 …
 *
 *   signaller   copy of the next version ← low, high ······ version + 1      the copy that is read stays whole
 *   reader      version · low, high of its copy · version again              equal: that copy was not written meanwhile
 *
 * A monitored value needs no second copy. Its owner writes both words, then reads the current value. A signaller raises
 * the current value, then reads the monitored value. A signaller that reads one old and one new word may miss the
 * owner. The owner's later read then finds the raised value.
 */

import type { FenceValue } from '../../waitable.js';
import type { FenceAtomics } from '../fence-environment.js';
import { checkCount, NOBODY_WAITS, type SignallableCell } from '../fence-value.js';

const HIGH = 2 ** 32;
const VERSION = 0;
const COPIES = 2;
const MONITORED = 6;
/** The high word of a monitored value in a slot without waiters. */
const NOBODY = -1;

export class CountCell implements SignallableCell {
  readonly #ints: Int32Array;
  readonly #atomics: FenceAtomics;
  /** Index of the first word. */
  readonly #at: number;
  /** The value signalled last. Only this object signals the cell. */
  #raised = 0;
  #version = 0;

  /** @param ints zeroed memory */
  constructor(ints: Int32Array, byteOffset: number, atomics: FenceAtomics = Atomics) {
    this.#ints = ints;
    this.#atomics = atomics;
    this.#at = byteOffset / 4;
  }

  static bytesFor(slots: number): number {
    return 4 * MONITORED + 8 * slots;
  }

  get current(): number {
    for (;;) {
      const version = this.#load(VERSION);
      const value = this.#number(COPIES + 2 * (version & 1));
      if (this.#load(VERSION) === version) return value;
    }
  }

  raise(value: FenceValue, name: string): boolean {
    checkCount(value, name);
    if (value <= this.#raised) return false;
    this.#raised = value;
    this.#version = (this.#version + 1) | 0;
    this.#write(COPIES + 2 * (this.#version & 1), value);
    this.#store(VERSION, this.#version);
    return true;
  }

  /**
   * Returns whether the slot's owner must be notified of `value`: the second half of a signal. Call it after `raise`,
   * never before.
   */
  mustNotify(slot: number, value: number): boolean {
    const at = MONITORED + 2 * slot;
    return this.#load(at + 1) !== NOBODY && value > this.#number(at);
  }

  /** Writes the slot's monitored value. The caller must read `current` again afterwards. */
  monitor(slot: number, value: FenceValue): void {
    const at = MONITORED + 2 * slot;
    if (value === NOBODY_WAITS) this.#store(at + 1, NOBODY);
    else this.#write(at, Number(value));
  }

  closeSlot(slot: number): void {
    this.monitor(slot, NOBODY_WAITS);
  }

  #number(word: number): number {
    const low = this.#load(word) >>> 0;
    return this.#load(word + 1) * HIGH + low;
  }

  #write(word: number, value: number): void {
    this.#store(word, value | 0);
    this.#store(word + 1, Math.floor(value / HIGH));
  }

  #load(word: number): number {
    return this.#atomics.load(this.#ints, this.#at + word);
  }

  #store(word: number, value: number): void {
    this.#atomics.store(this.#ints, this.#at + word, value);
  }
}
