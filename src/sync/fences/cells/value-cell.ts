/** The place of a value that one thread alone sees, of 64 bits: behind a fence of commands that nobody has bound. */

import type { FenceValue } from '../../waitable.js';
import type { SignallableCell } from '../fence-value.js';

export class ValueCell implements SignallableCell {
  current: FenceValue;

  constructor(value: FenceValue) {
    this.current = value;
  }

  raise(value: FenceValue): boolean {
    if (value <= this.current) return false;
    this.current = value;
    return true;
  }

  /** No other thread asks who waits. */
  monitor(): void {}

  closeSlot(): void {}
}
