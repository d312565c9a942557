import { StateError } from './errors.js';

/**
 * Allocates small whole numbers, so that arrays indexed by them stay dense. The id that was freed last is re-used
 * first, because its memory is still in the cache. A caller that needs a delay before re-use frees the id later. The
 * allocator allocates no memory once it has reached its usual size.
 *
 * An answer that names an id may arrive after the id was freed and allocated again. So a request stores the `moment`,
 * and `wasLive` returns whether the id still has the owner of that moment.
 *
 *   moment   1            2             3
 *   id 7     X ──────────┤      B ─────────────    a request of moment 1 for id 7 means X; B owns the id since moment 2
 *            id 7 is freed│   another is freed│
 */
export class IdAllocator {
  readonly #free: number[] = [];
  /** The moment at which each id was allocated; 0 if the id is free. */
  readonly #since: number[] = [];
  /** One more than the number of `free` calls so far. */
  moment = 1;

  allocate(): number {
    const id = this.#free.pop() ?? this.#since.length;
    this.#since[id] = this.moment;
    return id;
  }

  /** Frees an id. @throws StateError `id-not-live` if the id was freed before or never allocated */
  free(id: number): void {
    if (!this.#since[id]) {
      throw new StateError('id-not-live', `Id ${id} is freed, but it is not in use. Free an id once.`);
    }
    this.#since[id] = 0;
    this.moment++;
    this.#free.push(id);
  }

  /** Returns whether the id has had the same owner since `moment`. @param moment an earlier value of `this.moment` */
  wasLive(id: number, moment: number): boolean {
    const since = this.#since[id];
    return since !== undefined && since > 0 && since <= moment;
  }

  /** Number of ids in use. */
  get liveCount(): number {
    return this.#since.length - this.#free.length;
  }

  /** Exclusive upper bound of all ids so far: the length that arrays indexed by them need. */
  get end(): number {
    return this.#since.length;
  }
}
