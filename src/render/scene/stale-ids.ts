import { grow } from '../buffers/grow.js';

/** Ids of which something has to be found anew, each once, in the order in which they became stale. */
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

  /** Takes all ids away, those that `resolve` adds included; the id that is being resolved can't be added. */
  takeAll(resolve: (id: number) => void): void {
    for (let index = 0; index < this.#count; index++) {
      const id = this.#ids[index] as number;
      resolve(id);
      this.#isStale[id] = 0;
    }
    this.#count = 0;
  }
}
