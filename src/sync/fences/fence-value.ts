/**
 * Values of fences: whole numbers that only grow. A value up to 2^53 is a number, so that frames and lists are counted
 * without allocating; a fence of 64 bits takes a bigint as well. Numbers and bigints compare exactly with each other.
 */
import { StateError } from '../../core/errors.js';
import type { FenceValue } from '../waitable.js';

/** The monitored value where nobody waits: no signal is above it. */
export const NOBODY_WAITS = Number.POSITIVE_INFINITY;

/** What a waiter for `value` monitors: the largest value that does not release it. */
export const before = (value: FenceValue): FenceValue => (typeof value === 'bigint' ? value - 1n : value - 1);

/** @throws StateError `bad-fence-value` for what is not a whole number that doubles hold exactly */
export function checkCount(value: FenceValue, name: string): asserts value is number {
  if (Number.isSafeInteger(value)) return;
  throw new StateError(
    'bad-fence-value',
    `The fence "${name}" was signalled with ${value}; signal it with a whole number.`,
  );
}

/** What waiters need of the place where a fence's value lies. */
export interface WaitableCell {
  /** The last value signalled. */
  readonly current: FenceValue;
  /** Writes the monitored value of a slot, which only the slot's owner does. */
  monitor(slot: number, value: FenceValue): void;
  /** Nobody will wait in this slot any more. */
  closeSlot(slot: number): void;
}

/** What a signaller needs of it as well. */
export interface SignallableCell extends WaitableCell {
  /** The first half of a signal. False when the value had been reached already. @param name for messages */
  raise(value: FenceValue, name: string): boolean;
}

/** Whether it is a value that a fence can have: 2^64 − 1 stands for nobody's. */
export const isFenceValue = (value: unknown): value is FenceValue =>
  typeof value === 'bigint'
    ? value >= 0n && value < 0xffffffffffffffffn
    : Number.isSafeInteger(value) && (value as number) >= 0;
