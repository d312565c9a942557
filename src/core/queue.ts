/**
 * A first-in first-out queue in a circular array, which doubles when full. Once grown, it allocates nothing.
 */
export class Queue<T> {
  #items: (T | undefined)[] = new Array(16);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    const capacity = this.#items.length;
    if (this.#length === capacity) {
      const items = this.#items;
      this.#items = [...items.slice(this.#first), ...items.slice(0, this.#first), ...new Array(capacity)];
      this.#first = 0;
    }
    this.#items[(this.#first + this.#length++) & (this.#items.length - 1)] = item;
  }

  /** Returns the first item without removing it. */
  peek(): T | undefined {
    return this.#length === 0 ? undefined : this.#items[this.#first];
  }

  /** Returns the item at this distance from the first, without removing it. */
  at(distance: number): T | undefined {
    if (distance >= this.#length) return undefined;
    return this.#items[(this.#first + distance) & (this.#items.length - 1)];
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#items.length - 1);
    this.#length--;
    return item;
  }
}
