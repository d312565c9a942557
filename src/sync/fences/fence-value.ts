/**
 * Values of fences: whole numbers that only grow. Counts of frames and lists are numbers below 2^53, so that counting
 * doesn't allocate. Monitored fences accept bigints as well. Numbers and bigints compare exactly with each other.
 */
import { StateError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import type { FenceValue } from '../waitable.js';

/** The monitored value of a slot without waiters: no signal exceeds it. */
export const NOBODY_WAITS = Number.POSITIVE_INFINITY;

/** Returns the monitored value of a waiter for `value`: the largest value that does not release it. */
export const before = (value: FenceValue): FenceValue => (typeof value === 'bigint' ? value - 1n : value - 1);

/** @throws StateError `bad-fence-value` unless the value is a whole number that a double holds exactly */
export function checkCount(value: FenceValue, name: string): asserts value is number {
  if (Number.isSafeInteger(value)) return;
  throw new StateError(
    'bad-fence-value',
    `The fence "${name}" was signalled with ${shownValue(value)}; signal it with a whole number that is not a bigint.`,
  );
}

/** The part of a fence's cell that waiters use. */
export interface WaitableCell {
  /** The last value signalled. */
  readonly current: FenceValue;
  /** Writes the monitored value of a slot. Only the slot's owner may call it. */
  monitor(slot: number, value: FenceValue): void;
  /** Closes the slot: it has no waiters from now on. */
  closeSlot(slot: number): void;
}

/** The part of a fence's cell that signallers use. */
export interface SignallableCell extends WaitableCell {
  /**
   * Raises the current value: the first half of a signal.
   * @param name the fence's name, for error messages
   * @returns false when the value had been reached already
   */
  raise(value: FenceValue, name: string): boolean;
}

/** Returns whether a fence can have this value. 2^64 − 1 is reserved: it marks slots without waiters. */
export const isFenceValue = (value: unknown): value is FenceValue =>
  typeof value === 'bigint'
    ? value >= 0n && value < 0xffffffffffffffffn
    : Number.isSafeInteger(value) && (value as number) >= 0;
