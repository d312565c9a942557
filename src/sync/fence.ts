import { type FencepostError, isTyped, StateError, ThreadError } from '../core/errors.js';
import type { SignallableFence } from './waitable.js';

/**
 * A fence is a number that only grows. Somebody signals it, others wait until it has reached a value; the
 * values are frame numbers or counts of finished lists. It can fail, once and for ever: then every waiter, and
 * every later wait for a value it had not reached, gets that error.
 *
 *   value  0 ───── 1 ───── 2 ───────────── 3 ── ✕ failed
 *   whenReached(2) ········│ resolves       whenReached(4) ··│ rejects
 *
 * Signalling calls the listeners at once, on the signaller's stack, in the order of subscription; it allocates
 * nothing.
 */
export class Fence implements SignallableFence {
  readonly name: string;
  readonly #listeners = new Set<() => void>();
  #value: number;
  #error: FencepostError | null = null;

  constructor(name: string, options: { readonly value?: number } = {}) {
    this.name = name;
    this.#value = options.value ?? 0;
  }

  get value(): number {
    return this.#value;
  }

  /** The error that ended it, or null. */
  get error(): FencepostError | null {
    return this.#error;
  }

  isReached(value: number): boolean {
    return this.#value >= value;
  }

  /**
   * Raises the value. A value already reached changes nothing, because signals may be forwarded on several
   * roads; after a failure nothing counts any more.
   */
  signal(value: number): void {
    if (!Number.isSafeInteger(value)) {
      throw new StateError(
        'bad-fence-value',
        `The fence "${this.name}" was signalled with ${value}; signal it with a whole number.`,
      );
    }
    if (this.#error || value <= this.#value) return;
    this.#value = value;
    this.#notify();
  }

  /** Ends the fence. The first error is kept. */
  fail(error: Error): void {
    if (this.#error) return;
    this.#error = isTyped(error) ? error : new ThreadError('internal', error.message, { cause: error });
    this.#notify();
  }

  /** Resolves when the value is reached; rejects when the fence fails first. Time-outs: `withDeadline`. */
  whenReached(value: number): Promise<void> {
    if (this.isReached(value)) return Promise.resolve();
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      const unsubscribe = this.subscribe(() => {
        const isReached = this.isReached(value);
        if (!isReached && !this.#error) return;
        unsubscribe();
        if (isReached) resolve();
        else reject(this.#error);
      });
    });
  }

  /** Calls `listener` after every change of value and at the failure. */
  subscribe(listener: () => void): () => void {
    // A wrapper of its own, so that one function can be subscribed twice.
    const entry = () => listener();
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
