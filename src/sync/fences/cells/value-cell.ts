/** A 64-bit value that only one thread sees: the cell of an RHI fence to which no shared fence is bound. */

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

  /** Does nothing: no other thread reads the monitored value. */
  monitor(): void {}

  closeSlot(): void {}
}
