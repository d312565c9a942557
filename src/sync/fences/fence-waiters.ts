/**
 * What one slot (a thread, or a queue) waits for in one fence, and the monitored value that says so (SYSTEMS F5):
 * the smallest value awaited − 1, or the maximum when nobody waits. It is written whenever a waiter comes, goes or
 * expires, and the current value is read again after each such write.
 *
 *   add 9   waiters 9         monitored 8     current 4
 *   add 6   waiters 6 9       monitored 5     current 4
 *   told    waiters 9         monitored 8     current 7   6 is released
 *   expired waiters –         monitored max   current 7
 */
import type { FencepostError } from '../../core/errors.js';
import type { FenceValue } from '../waitable.js';
import { before, NOBODY_WAITS, type WaitableCell } from './fence-value.js';

export interface Waiter {
  readonly value: FenceValue;
  /** Called once, when the waiter has been removed: the value is reached (null), or never will be. */
  settle(error: FencepostError | null): void;
}

export class FenceWaiters {
  readonly #cell: WaitableCell;
  readonly #slot: number;
  readonly #failure: () => FencepostError | null;
  readonly #isForced: boolean;
  readonly #onMonitored: ((value: FenceValue) => void) | undefined;
  readonly #waiters = new Set<Waiter>();
  readonly #listeners = new Set<() => void>();
  /** The monitored value as it was written last. */
  #monitored: FenceValue = NOBODY_WAITS;
  /** What listeners were told of. */
  #seen: FenceValue;
  #hasSeenFailure = false;
  /** Why nobody can wait here any more, or null. */
  closedWith: FencepostError | null = null;
  /** Somebody reads a replica again and again, and wants to see a larger value than this (`poll`). */
  #polled: FenceValue | null = null;

  /**
   * @param isForced the monitored value stays 0, so that every signal notifies (SYSTEMS F8)
   * @param onMonitored is told of each new monitored value, where it must travel by message
   */
  constructor(
    cell: WaitableCell,
    slot: number,
    failure: () => FencepostError | null,
    isForced = false,
    onMonitored?: (value: FenceValue) => void,
  ) {
    this.#cell = cell;
    this.#slot = slot;
    this.#failure = failure;
    this.#isForced = isForced;
    this.#onMonitored = onMonitored;
    this.#seen = cell.current;
    cell.monitor(slot, this.#monitored);
    if (isForced) this.#write(0);
  }

  /** The monitored value as it was written last: larger ones must be told. */
  get monitored(): FenceValue {
    return this.#monitored;
  }

  /** True while anybody must be told of anything. */
  get isWaiting(): boolean {
    return this.closedWith === null && (this.#waiters.size > 0 || this.#listeners.size > 0 || this.#isForced);
  }

  add(waiter: Waiter): void {
    if (this.closedWith !== null) {
      waiter.settle(this.closedWith);
      return;
    }
    this.#waiters.add(waiter);
    this.look();
  }

  /** A waiter that has expired or gives up; it is not settled. */
  remove(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.look();
  }

  subscribe(listener: () => void): () => void {
    const entry = (): void => listener();
    if (this.#listeners.size === 0) {
      this.#seen = this.#cell.current;
      this.#hasSeenFailure = this.#failure() !== null;
    }
    this.#listeners.add(entry);
    this.look();
    return () => {
      if (this.#listeners.delete(entry)) this.look();
    };
  }

  /** Asks once to be told of the next value, for those who only read. */
  poll(): void {
    if (this.#polled !== null) return;
    this.#polled = this.#cell.current;
    this.look();
  }

  /** Releases whom the current value releases, and says what is awaited now. Harmless at any time. */
  look(): void {
    // The slot may be another's by then.
    while (this.closedWith === null) {
      const current = this.#cell.current;
      const failure = this.#failure();
      if (this.#polled !== null && this.#polled < current) this.#polled = null;
      this.#release(current, failure);
      const monitored = this.#wanted(failure);
      if (monitored !== this.#monitored) this.#write(monitored);
      // Written first, read afterwards: a signal that did not see this monitored value shows here.
      const again = this.#cell.current;
      const isOver = this.#isForced ? again === current : again <= monitored;
      if (isOver && (failure !== null || this.#failure() === null)) return;
    }
  }

  /** Ends all with the error; the slot is not told any more. The first error is kept. */
  close(error: FencepostError): void {
    if (this.closedWith !== null) return; // the cell may be another fence's
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    this.#listeners.clear();
    this.closedWith = error;
    this.#cell.closeSlot(this.#slot);
    for (const waiter of waiters) waiter.settle(error);
  }

  #release(current: FenceValue, failure: FencepostError | null): void {
    for (const waiter of this.#waiters) {
      const isReached = waiter.value <= current;
      if (!isReached && failure === null) continue;
      this.#waiters.delete(waiter);
      waiter.settle(isReached ? null : failure);
    }
    const isNew = current > this.#seen || (failure !== null && !this.#hasSeenFailure);
    if (!isNew) return;
    this.#seen = current;
    this.#hasSeenFailure = failure !== null;
    for (const listener of this.#listeners) listener();
  }

  #wanted(failure: FencepostError | null): FenceValue {
    if (this.#isForced) return 0;
    let wanted: FenceValue = NOBODY_WAITS;
    for (const { value } of this.#waiters) if (value <= wanted) wanted = before(value);
    if (failure === null) {
      if (this.#listeners.size > 0 && this.#seen < wanted) wanted = this.#seen;
      if (this.#polled !== null && this.#polled < wanted) wanted = this.#polled;
    }
    return wanted;
  }

  #write(monitored: FenceValue): void {
    this.#monitored = monitored;
    this.#cell.monitor(this.#slot, monitored);
    this.#onMonitored?.(monitored);
  }
}
