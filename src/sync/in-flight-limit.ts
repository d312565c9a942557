import { StateError } from '../core/errors.js';
import type { Fence } from './fence.js';

/**
 * Bounds how far the GPU may lag behind (DESIGN §4.4): a list is submitted only while fewer than
 * `maxFramesInFlight` earlier ones are incomplete. Lists are numbered by the order of submission.
 *
 *   submitted  1 2 3 4 ·         completed + maximum = 2 + 2: list 5 waits for list 3
 *   completed  1 2
 */
export class InFlightLimit {
  readonly #submitted: Fence;
  readonly #completed: Fence;
  readonly #maximum: number;

  /** Both fences hold a count of lists; `submitted` is signalled after `submit` has returned. */
  constructor(submitted: Fence, completed: Fence, options: { readonly maxFramesInFlight: number }) {
    if (!(options.maxFramesInFlight >= 1)) {
      throw new StateError(
        'invalid-frames-in-flight',
        `maxFramesInFlight is ${options.maxFramesInFlight}; it must be 1 or more, or nothing could ever be submitted.`,
      );
    }
    this.#submitted = submitted;
    this.#completed = completed;
    this.#maximum = options.maxFramesInFlight;
  }

  /** Lists submitted and not completed. */
  get inFlight(): number {
    return this.#submitted.value - this.#completed.value;
  }

  /** True when one more list may be submitted now. A failed fence never lets one through. */
  get canSubmit(): boolean {
    return this.#completed.error === null && this.inFlight < this.#maximum;
  }

  /** Resolves when `canSubmit`; rejects when the GPU has failed. */
  whenCanSubmit(): Promise<void> {
    if (this.#completed.error) return Promise.reject(this.#completed.error);
    return this.#completed.whenReached(this.#submitted.value - this.#maximum + 1);
  }
}
