import { Queue } from './queue.js';

/**
 * A first-in first-out queue. Each item can be taken only once the caller has reached the item's number, such as a
 * frame.
 */
export class WaitingQueue<T> {
  readonly #items = new Queue<T>();
  readonly #from = new Queue<number>();

  get length(): number {
    return this.#items.length;
  }

  /**
   * Appends an item.
   * @param from least number at which `take` returns the item. Later items wait for earlier items, so `from` should not
   * decrease from item to item
   */
  put(item: T, from: number): void {
    this.#items.push(item);
    this.#from.push(from);
  }

  /** Takes the oldest item. @returns undefined if `number` is less than the item's number, or the queue is empty */
  take(number: number): T | undefined {
    const from = this.#from.peek();
    if (from === undefined || from > number) return undefined;
    this.#from.shift();
    return this.#items.shift();
  }
}
