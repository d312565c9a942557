import type { TaskAtomics } from './task-memory.js';

/**
 * A first-in first-out queue with one producer and any number of consumers. The counts `head` and `tail` only grow;
 * they wrap at 2³².
 *
 *   | head | tail | slot, state | slot, state | …          entry n lies at cell n mod capacity
 *     next to take    next to fill
 *
 * A consumer reads the entry at `head` and advances `head` by a compare-exchange. The consumer that advances it owns
 * the entry. The producer refills a cell only after `head` has passed it, so a consumer that has read a half-new entry
 * fails to advance `head`. The exchange compares counts, not cells, so it also fails if the same cell is at the head
 * again (ABA).
 */
export class ClaimRing {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #capacity: number;
  readonly #atomics: TaskAtomics;
  /** Slot of the entry that `take` has taken last. */
  slot = -1;
  /** State of the entry that `take` has taken last. */
  state = 0;

  /** @param capacity a power of two */
  constructor(words: Int32Array, at: number, capacity: number, atomics: TaskAtomics) {
    this.#words = words;
    this.#at = at;
    this.#capacity = capacity;
    this.#atomics = atomics;
  }

  /** Appends an entry. Only the producer may call it. @returns false when the ring is full */
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

  /**
   * Takes the oldest entry into `slot` and `state`; no other consumer gets it.
   * @returns false when the ring is empty
   */
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
