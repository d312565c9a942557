/**
 * Released objects wait here until the GPU can't be using them any more (SYSTEMS L1, L2). At release, an object is
 * paired with k, the number of the next list to be submitted. It is freed when k < completed, where `completed` is the
 * number of lists that the GPU has finished. List 0 signals 1, so an object last used by list 0 is freed once
 * `completed` is 1.
 *
 *   release order   a·3  b·3  c·4  d·6
 *   completed = 4   └freed┘   └─ kept: 4 < 4 is false
 *
 * The paired number may be greater than the number of the last list that uses the object, but it is never less.
 */
import { WaitingQueue } from '../../core/waiting-queue.js';

export class ReleaseQueue<T> {
  readonly #free: (item: T) => void;
  readonly #waiting = new WaitingQueue<T>();

  constructor(free: (item: T) => void) {
    this.#free = free;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /**
   * Adds an item.
   * @param listNumber number of the last list that may use the item. Numbers never decrease from one call to the next
   */
  release(item: T, listNumber: number): void {
    this.#waiting.put(item, listNumber + 1);
  }

  /** Frees every item whose list has completed, oldest first. Called per frame. @returns the number of freed items */
  purge(completed: number): number {
    let freed = 0;
    for (let item = this.#waiting.take(completed); item !== undefined; item = this.#waiting.take(completed)) {
      freed++;
      this.#free(item);
    }
    return freed;
  }

  /** Frees all items. Call it only if the GPU is idle and all recorded commands are submitted, or at the end (L2). */
  purgeAll(): number {
    return this.purge(Number.POSITIVE_INFINITY);
  }
}
