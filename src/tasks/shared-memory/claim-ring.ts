import type { TaskAtomics } from './task-memory.js';

/**
 * A queue with one producer and any number of consumers, first in, first out. Both counts only grow, and wrap at 2³².
 *
 *   | head | tail | slot, state | slot, state | …          entry n lies at cell n mod capacity
 *     next to take    next to fill
 *
 * A consumer reads the entry at `head` and moves `head` by a compare-exchange: whoever moves it has the entry. The producer
 * fills a cell again only when `head` is past it, so a consumer that has read a half-new entry fails to move `head`.
 * Counts are compared, not cells: that the same cell is at the head again (ABA) is no reason to take what was read.
 */
export class ClaimRing {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #capacity: number;
  readonly #atomics: TaskAtomics;
  /** Of the entry that `take` has found. */
  slot = -1;
  state = 0;

  /** @param capacity a power of two */
  constructor(words: Int32Array, at: number, capacity: number, atomics: TaskAtomics) {
    this.#words = words;
    this.#at = at;
    this.#capacity = capacity;
    this.#atomics = atomics;
  }

  /** Producer alone: false when it is full. */
  push(slot: number, state: number): boolean {
    const tail = this.#atomics.load(this.#words, this.#at + 1);
    const head = this.#atomics.load(this.#words, this.#at);
    if (((tail - head) | 0) >= this.#capacity) return false;
    const cell = this.#cell(tail);
    this.#atomics.store(this.#words, cell, slot);
    this.#atomics.store(this.#words, cell + 1, state);
    this.#atomics.store(this.#words, this.#at + 1, (tail + 1) | 0);
    return true;
  }

  get isEmpty(): boolean {
    return this.#atomics.load(this.#words, this.#at) === this.#atomics.load(this.#words, this.#at + 1);
  }

  /** Any consumer: true with the oldest entry in `slot` and `state`, which nobody else gets. */
  take(): boolean {
    for (;;) {
      const head = this.#atomics.load(this.#words, this.#at);
      if (head === this.#atomics.load(this.#words, this.#at + 1)) return false;
      const cell = this.#cell(head);
      this.slot = this.#atomics.load(this.#words, cell);
      this.state = this.#atomics.load(this.#words, cell + 1);
      if (this.#atomics.compareExchange(this.#words, this.#at, head, (head + 1) | 0) === head) return true;
    }
  }

  #cell(count: number): number {
    return this.#at + 2 + 2 * (count & (this.#capacity - 1));
  }
}
