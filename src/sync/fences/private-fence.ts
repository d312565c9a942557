/**
 * A monitored fence with one signaller, for the engine's counts of frames and lists and for the fences of commands
 * (SYSTEMS F1, F5, F7). Other threads follow it over a link (`fence-link.ts`) instead of opening it by a handle.
 * The cells of private fences are packed in pages of the thread's memory.
 *
 *   value  0 ───── 1 ───── 2 ───────────── 3 ── ✕ failed, once and for ever
 *   whenReached(2) ········│ resolves       whenReached(4) ··│ rejects
 *
 * Waiters are called on the signaller's stack. A signal below the smallest awaited value checks no waiter and allocates
 * nothing.
 */
import { type FencepostError, isTyped, ThreadError } from '../../core/errors.js';
import type { FenceValue, SignallableFence } from '../waitable.js';
import { CountCell } from './cells/count-cell.js';
import { PackedCells } from './cells/packed-cells.js';
import { NOBODY_WAITS, type SignallableCell } from './fence-value.js';
import { FenceWaiters } from './fence-waiters.js';

interface PrivateFenceOptions {
  /** Initial value of the fence. Default 0. */
  readonly value?: FenceValue;
  /** The cell of the value. Default: a cell packed with other cells of this thread. */
  readonly cell?: SignallableCell;
  /** The slot of this thread's monitored value in the cell. Default 0. */
  readonly slot?: number;
  /** Called when a wait on this thread has begun. */
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
  /** The value at the failure; undefined before. */
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

  /** The error that ended the fence, or `null`. */
  get error(): FencepostError | null {
    return this.#error;
  }

  /** True while this thread has waiters or listeners, and the fence has not failed. */
  get isWaiting(): boolean {
    return this.#error === null && this.#waiters.isWaiting;
  }

  isReached(value: FenceValue): boolean {
    return (this.#last ?? this.#cell.current) >= value;
  }

  /**
   * Raises the value. A value already reached changes nothing, because a signal may arrive over several routes. After
   * a failure no signal changes anything.
   * @throws StateError `bad-fence-value`
   */
  signal(value: FenceValue): void {
    if (this.#error || !this.#cell.raise(value, this.name)) return;
    if (value > this.#waiters.monitored) this.#waiters.check();
  }

  /** Ends the fence. The first error is kept. */
  fail(error: Error): void {
    if (this.#error) return;
    this.#last = this.#cell.current;
    this.#error = isTyped(error) ? error : new ThreadError('internal', error.message, { cause: error });
    this.#waiters.check();
  }

  /** Resolves when the value is reached; rejects when the fence fails first. Use `withDeadline` for a time-out. */
  whenReached(value: FenceValue): Promise<void> {
    if (this.isReached(value)) {
      // Another thread may have raised the value, and this thread may not be notified yet. So release earlier waiters
      // first.
      this.#waiters.check();
      return Promise.resolve();
    }
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#waiters.add({ value, settle: (error) => (error ? reject(error) : resolve()) });
      this.#onWait?.();
    });
  }

  /** Calls `listener` when the fence fails, and after every change of value that this thread is notified of. */
  subscribe(listener: () => void): () => void {
    const unsubscribe = this.#waiters.subscribe(listener);
    this.#onWait?.();
    return unsubscribe;
  }

  /** Calls `listener` as soon as this thread is notified of the fence's failure. Signals don't call it. */
  onFailure(listener: (error: FencepostError) => void): void {
    if (this.#error) listener(this.#error);
    else this.#waiters.add({ value: NOBODY_WAITS, settle: (error) => error && listener(error) });
    this.#onWait?.();
  }

  /** Releases the waiters of a value that another thread has raised. */
  look(): void {
    this.#waiters.check();
  }
}
