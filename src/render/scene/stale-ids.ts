import { grow } from '../../core/memory/grow.js';

/** Ids whose data must be computed again, each once, in the order in which they became stale. */
export class StaleIds {
  #ids = new Uint32Array(64);
  #isStale = new Uint8Array(64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  has(id: number): boolean {
    return this.#isStale[id] === 1;
  }

  add(id: number): void {
    this.#isStale = grow(this.#isStale, id + 1);
    if (this.#isStale[id] === 1) return;
    this.#isStale[id] = 1;
    this.#ids = grow(this.#ids, this.#count + 1);
    this.#ids[this.#count++] = id;
  }

  /**
   * Removes and resolves all ids, including those that `resolve` adds. `resolve` cannot add the id that is
   * being resolved.
   */
  takeAll(resolve: (id: number) => void): void {
    for (let index = 0; index < this.#count; index++) {
      const id = this.#ids[index] as number;
      resolve(id);
      this.#isStale[id] = 0;
    }
    this.#count = 0;
  }
}
