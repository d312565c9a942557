import { StateError } from './errors.js';

/**
 * Hands out small whole numbers, so that arrays indexed by them stay dense. A freed id is re-used, last freed
 * first (its memory is still in the cache); what needs a delay before re-use frees later. Allocates nothing once
 * it has reached its usual size.
 */
export class IdAllocator {
  readonly #free: number[] = [];
  /** 1 for an id in use; a plain array of bytes would do, but this one grows by itself. */
  readonly #isLive: boolean[] = [];

  allocate(): number {
    const id = this.#free.pop() ?? this.#isLive.length;
    this.#isLive[id] = true;
    return id;
  }

  /** @throws StateError `id-not-live` when the id was freed before or never handed out */
  free(id: number): void {
    if (!this.#isLive[id]) {
      throw new StateError('id-not-live', `Id ${id} is freed, but it is not in use. Free an id once.`);
    }
    this.#isLive[id] = false;
    this.#free.push(id);
  }

  isLive(id: number): boolean {
    return this.#isLive[id] === true;
  }

  /** Ids in use. */
  get liveCount(): number {
    return this.#isLive.length - this.#free.length;
  }

  /** All ids ever handed out are below this: the length that arrays indexed by them need. */
  get end(): number {
    return this.#isLive.length;
  }
}
