import { Queue } from './queue.js';

/** A first-in first-out queue in which each item may be taken only from a given number on. */
export class WaitingQueue<T> {
  readonly #items = new Queue<T>();
  readonly #from = new Queue<number>();

  get length(): number {
    return this.#items.length;
  }

  /**
   * Appends an item.
   * @param from least number for `take`; usually not less than an earlier one, because later items wait for earlier
   * ones
   */
  put(item: T, from: number): void {
    this.#items.push(item);
    this.#from.push(from);
  }

  /** Takes the oldest item. @returns undefined if it may not be taken at this number, or there is none */
  take(number: number): T | undefined {
    const from = this.#from.peek();
    if (from === undefined || from > number) return undefined;
    this.#from.shift();
    return this.#items.shift();
  }
}
