import { StateError } from './errors.js';

/**
 * Hands out small whole numbers, so that arrays indexed by them stay dense. A freed id is re-used, last freed
 * first (its memory is still in the cache); what needs a delay before re-use frees later. Allocates nothing once
 * it has reached its usual size.
 *
 * An answer that names an id may come after the id was given back and handed out again: whoever asks notes the
 * `moment`, and `wasLive` tells whether the id still has the owner that it had then.
 *
 *   moment   1            2             3
 *   id 7     X ──────────┤      B ─────────────    asked about 7 in moment 1: X was meant, B has it since moment 2
 *            id 7 is freed│   another is freed│
 */
export class IdAllocator {
  readonly #free: number[] = [];
  /** The moment in which an id was handed out; 0: it is free. */
  readonly #since: number[] = [];
  /** One more than how many ids were given back so far. */
  moment = 1;

  allocate(): number {
    const id = this.#free.pop() ?? this.#since.length;
    this.#since[id] = this.moment;
    return id;
  }

  /** @throws StateError `id-not-live` when the id was freed before or never handed out */
  free(id: number): void {
    if (!this.#since[id]) {
      throw new StateError('id-not-live', `Id ${id} is freed, but it is not in use. Free an id once.`);
    }
    this.#since[id] = 0;
    this.moment++;
    this.#free.push(id);
  }

  /** Whether an id has been in use since then, by the same owner. @param moment what `moment` was */
  wasLive(id: number, moment: number): boolean {
    const since = this.#since[id];
    return since !== undefined && since > 0 && since <= moment;
  }

  /** Ids in use. */
  get liveCount(): number {
    return this.#since.length - this.#free.length;
  }

  /** All ids ever handed out are below this: the length that arrays indexed by them need. */
  get end(): number {
    return this.#since.length;
  }
}
