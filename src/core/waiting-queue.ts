import { Queue } from './queue.js';

/** Items in the order in which they were put, and the number from which on each may be taken. */
export class WaitingQueue<T> {
  readonly #items = new Queue<T>();
  readonly #from = new Queue<number>();

  get length(): number {
    return this.#items.length;
  }

  /** @param from mostly no less than an earlier one: who comes later waits for who came before */
  put(item: T, from: number): void {
    this.#items.push(item);
    this.#from.push(from);
  }

  /** The oldest; undefined while it may not be taken, or there is none. */
  take(number: number): T | undefined {
    const from = this.#from.peek();
    if (from === undefined || from > number) return undefined;
    this.#from.shift();
    return this.#items.shift();
  }
}
