/**
 * One wait for one or several points, which are fences with awaited values (SYSTEMS F3). It ends when its values are
 * reached, a fence fails, its deadline passes, it is aborted, or a handle is closed. The end removes all waiters of the
 * wait, which updates the monitored values.
 *
 *   all   a ≥ 3 ✓ · b ≥ 5 ✓ → over           any   a ≥ 3 · b ≥ 5 ✓ → over: 1; a's waiter is removed
 */
import { type FencepostError, OptionError } from '../../core/errors.js';
import type { FenceWaiters, Waiter } from './fence-waiters.js';

export type WaitMode = 'all' | 'any';

export interface WaitPoint {
  readonly waiters: FenceWaiters;
  readonly value: bigint;
  /** Pending waits of the same handle. Closing the handle ends them. */
  readonly pending: Set<FenceWait>;
}

export class FenceWait {
  isOver = false;
  /**
   * The error that ended the wait; `null` if its values were reached, or the wait was aborted. A failure of any fence
   * ends the wait in both modes.
   */
  error: FencepostError | null = null;
  /** In the mode `any`, the index of the point that ended the wait. */
  index = -1;
  readonly #points: readonly WaitPoint[];
  readonly #waiters: Waiter[];
  readonly #onOver: (wait: FenceWait) => void;
  #missing: number;

  /** @param onOver may be called before the constructor returns */
  constructor(points: readonly WaitPoint[], mode: WaitMode, onOver: (wait: FenceWait) => void) {
    if (mode === 'any' && points.length === 0) {
      throw new OptionError(
        'no-fences',
        'A wait for any of several fences got an empty list, so it would never end. Pass at least one fence.',
      );
    }
    this.#points = points;
    this.#onOver = onOver;
    this.#missing = mode === 'all' ? points.length : 1;
    this.#waiters = points.map(({ value }, index) => ({
      value,
      settle: (error) => this.#settle(index, error),
    }));
    if (points.length === 0) this.end(null);
    points.forEach(({ waiters, pending }, index) => {
      if (this.isOver) return;
      pending.add(this);
      waiters.add(this.#waiters[index]);
    });
  }

  /** Ends the wait. @param error the reason; `null` if its values were reached, or the wait is aborted */
  end(error: FencepostError | null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.error = error;
    this.#points.forEach(({ waiters, pending }, index) => {
      pending.delete(this);
      waiters.remove(this.#waiters[index]);
    });
    this.#onOver(this);
  }

  #settle(index: number, error: FencepostError | null): void {
    if (this.isOver) return;
    this.index = index;
    this.#missing--;
    if (error !== null || this.#missing === 0) this.end(error);
  }
}
