/**
 * A monitored fence of one signaller, which other threads follow over a link (`fence-link.ts`) instead of opening it by
 * a handle: what the engine counts frames and lists with, and what is behind the fences of commands (SYSTEMS F1, F5, F7).
 * Such fences lie packed in pages of their thread, 256 in 4 KiB.
 *
 *   value  0 ───── 1 ───── 2 ───────────── 3 ── ✕ failed, once and for ever
 *   whenReached(2) ········│ resolves       whenReached(4) ··│ rejects
 *
 * Whoever waits is called on the signaller's stack. A signal that nobody waits for looks at nobody, and allocates
 * nothing.
 */
import { type FencepostError, isTyped, ThreadError } from '../../core/errors.js';
import type { FenceValue, SignallableFence } from '../waitable.js';
import { CountCell } from './cells/count-cell.js';
import { PackedCells } from './cells/packed-cells.js';
import { NOBODY_WAITS, type SignallableCell } from './fence-value.js';
import { FenceWaiters } from './fence-waiters.js';

interface PrivateFenceOptions {
  /** The first value, for a cell of its own. Default 0. */
  readonly value?: FenceValue;
  /** Where the value lies. Default: packed with others of this thread. */
  readonly cell?: SignallableCell;
  /** Whose monitored value in the cell is this thread's. Default 0. */
  readonly slot?: number;
  /** Somebody on this thread has begun to wait. */
  readonly onWait?: () => void;
}

const counts = /* @__PURE__ */ new PackedCells(CountCell.bytesFor(1), (buffer, byteOffset) => {
  return new CountCell(new Int32Array(buffer), byteOffset);
});

export class PrivateFence implements SignallableFence {
  readonly name: string;
  readonly #cell: SignallableCell;
  readonly #waiters: FenceWaiters;
  readonly #onWait: (() => void) | undefined;
  /** The value with which it failed. */
  #last: FenceValue | undefined;
  #error: FencepostError | null = null;

  constructor(name: string, options: PrivateFenceOptions = {}) {
    const { value, cell = counts.take(), slot = 0, onWait } = options;
    this.name = name;
    this.#cell = cell;
    this.#onWait = onWait;
    if (value) cell.raise(value, name);
    this.#waiters = new FenceWaiters(cell, slot, () => this.#error);
  }

  get value(): number {
    return Number(this.#last ?? this.#cell.current);
  }

  /** The error that ended it, or null. */
  get error(): FencepostError | null {
    return this.#error;
  }

  /** Whether anybody here must be told of anything. */
  get isWaiting(): boolean {
    return this.#error === null && this.#waiters.isWaiting;
  }

  isReached(value: FenceValue): boolean {
    return (this.#last ?? this.#cell.current) >= value;
  }

  /**
   * Raises the value. A value already reached changes nothing, because signals may be forwarded on several
   * roads; after a failure nothing counts any more.
   * @throws StateError `bad-fence-value`
   */
  signal(value: FenceValue): void {
    if (this.#error || !this.#cell.raise(value, this.name)) return;
    if (value > this.#waiters.monitored) this.#waiters.look();
  }

  /** Ends the fence. The first error is kept. */
  fail(error: Error): void {
    if (this.#error) return;
    this.#last = this.#cell.current;
    this.#error = isTyped(error) ? error : new ThreadError('internal', error.message, { cause: error });
    this.#waiters.look();
  }

  /** Resolves when the value is reached; rejects when the fence fails first. Time-outs: `withDeadline`. */
  whenReached(value: FenceValue): Promise<void> {
    if (this.isReached(value)) {
      // Another thread may have raised it, of which this one has not heard yet: whoever waited first goes on first.
      this.#waiters.look();
      return Promise.resolve();
    }
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#waiters.add({ value, settle: (error) => (error ? reject(error) : resolve()) });
      this.#onWait?.();
    });
  }

  /** Calls `listener` after every change of value that this thread hears of, and at the failure. */
  subscribe(listener: () => void): () => void {
    const unsubscribe = this.#waiters.subscribe(listener);
    this.#onWait?.();
    return unsubscribe;
  }

  /** Calls `listener` in the moment in which this thread hears that the fence has failed. No signal rings for it. */
  onFailure(listener: (error: FencepostError) => void): void {
    if (this.#error) listener(this.#error);
    else this.#waiters.add({ value: NOBODY_WAITS, settle: (error) => error && listener(error) });
    this.#onWait?.();
  }

  /** Releases whom the value releases, where another thread has raised it. */
  look(): void {
    this.#waiters.look();
  }
}
