/**
 * The waiters of one slot (a thread, or a queue) in one fence, and the slot's monitored value (SYSTEMS F5).
 * This value is the smallest awaited value − 1, or the maximum without waiters. A listener awaits the next value. The
 * monitored value is updated whenever a waiter or listener is added or removed. The current value of the fence is read
 * again after each update.
 *
 *   add 9   waiters 9         monitored 8     current 4
 *   add 6   waiters 6 9       monitored 5     current 4
 *   signal  waiters 9         monitored 8     current 7   6 is released
 *   expired waiters –         monitored max   current 7
 */
import type { FencepostError } from '../../core/errors.js';
import type { FenceValue } from '../waitable.js';
import { before, NOBODY_WAITS, type WaitableCell } from './fence-value.js';

export interface Waiter {
  readonly value: FenceValue;
  /**
   * Called once, when the waiter has been removed.
   * @param error `null` if the value was reached; otherwise the reason why it will never be reached
   */
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
  /** The monitored value that was written last. */
  #monitored: FenceValue = NOBODY_WAITS;
  /** The value that the listeners were last notified of. */
  #seen: FenceValue;
  #hasSeenFailure = false;
  /** The error that closed the slot, or `null` while it is open. */
  closedWith: FencepostError | null = null;
  /** The value at the last `poll`, until a larger value arrives; otherwise `null`. */
  #polled: FenceValue | null = null;

  /**
   * @param isForced keeps the monitored value at 0, so that every signal notifies (SYSTEMS F8)
   * @param onMonitored sends each new monitored value to the proxy, on a thread that takes part by messages
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

  /** The monitored value that was written last; signals of larger values notify this slot. */
  get monitored(): FenceValue {
    return this.#monitored;
  }

  /** True while the slot has waiters or listeners, or is forced. */
  get isWaiting(): boolean {
    return this.closedWith === null && (this.#waiters.size > 0 || this.#listeners.size > 0 || this.#isForced);
  }

  add(waiter: Waiter): void {
    if (this.closedWith !== null) {
      waiter.settle(this.closedWith);
      return;
    }
    this.#waiters.add(waiter);
    this.check();
  }

  /** Removes a waiter that has expired or was cancelled, without settling it. */
  remove(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.check();
  }

  subscribe(listener: () => void): () => void {
    const entry = (): void => listener();
    if (this.#listeners.size === 0) {
      this.#seen = this.#cell.current;
      this.#hasSeenFailure = this.#failure() !== null;
    }
    this.#listeners.add(entry);
    this.check();
    return () => {
      if (this.#listeners.delete(entry)) this.check();
    };
  }

  /** Requests a notification of the next value, for readers that only poll a replica. */
  poll(): void {
    if (this.#polled !== null) return;
    this.#polled = this.#cell.current;
    this.check();
  }

  /**
   * Releases all waiters that the current value satisfies, and updates the monitored value. An additional call does
   * no harm.
   */
  check(): void {
    // A settled waiter may close the slot; the cell may then belong to another fence.
    while (this.closedWith === null) {
      const current = this.#cell.current;
      const failure = this.#failure();
      if (this.#polled !== null && this.#polled < current) this.#polled = null;
      this.#release(current, failure);
      const monitored = this.#wanted(failure);
      if (monitored !== this.#monitored) this.#write(monitored);
      // Write first, read afterwards: this read finds the value of a signaller that missed the new monitored value.
      const again = this.#cell.current;
      const isOver = this.#isForced ? again === current : again <= monitored;
      if (isOver && (failure !== null || this.#failure() === null)) return;
    }
  }

  /** Ends all waiters with the error and closes the slot. Later calls do nothing. */
  close(error: FencepostError): void {
    if (this.closedWith !== null) return; // the cell may belong to another fence now
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
