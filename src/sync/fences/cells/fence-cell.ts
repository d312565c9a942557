/**
 * One fence in memory, and the protocol between its signallers and its waiters (SYSTEMS F1, F5, F6). The protocol is
 * synchronous and touches memory through atomic operations only, except for the flags, which don't change while the
 * fence is alive. Atomic operations are sequentially consistent. So each one is the barrier that the rule needs:
 * *write your own word, then read the other thread's word*.
 *
 *   signaller   current ← 7 ········ reads monitored: 7 > 6 → notifies that slot
 *   waiter      monitored ← 7 − 1 ·· reads current: 7 ≥ 7 → needs no notification
 *
 * The thread whose write comes second sees the other thread's write, so at least one of them acts. If both act, the
 * notification is spurious, which is legal.
 *
 *   byte  0 current (64 bits; in 32-bit mode low word, then count of half ranges)
 *         8 state    12 references    16 flags    20 generation    24 open slots    28 length of the error
 *        32 monitored value of slot 0, 1 … (64 bits each)         then the error's text, in shared cells
 */
import { StateError } from '../../../core/errors.js';
import type { FenceValue } from '../../waitable.js';
import type { FenceAtomics } from '../fence-environment.js';
import { isFenceValue, NOBODY_WAITS, type SignallableCell } from '../fence-value.js';
import { PackedCells } from './packed-cells.js';

/** In memory, the monitored value of a slot without waiters. */
const NOBODY = 2n ** 64n - 1n;
/** Largest distance, in 32-bit mode, from the last value signalled to the value of a wait or signal. */
export const HALF_RANGE = 2n ** 31n - 1n;

export const FenceFlag = { is32Bit: 1, isCrossDevice: 2, isIntraDevice: 4, isProgress: 8 } as const;

const [STATE, REFERENCES, FLAGS, GENERATION, OPEN, ERROR_LENGTH] = [2, 3, 4, 5, 6, 7];
const MONITORED = 4; // in 64-bit words
/**
 * Stored instead of the reference count while a fence is created or destroyed: no thread may take a reference then.
 */
const IN_TRANSITION = -1;
const CellState = { free: 0, alive: 1, failing: 2, failed: 3 } as const;

/** Views of the memory that contains the cells. */
interface CellMemory {
  readonly ints: Int32Array;
  readonly words: BigUint64Array;
  readonly atomics: FenceAtomics;
}

export class FenceCell implements SignallableCell {
  readonly #memory: CellMemory;
  /** Index of the cell's first word, in words of 32 and of 64 bits. */
  readonly #int: number;
  readonly #word: number;
  readonly #slots: number;
  readonly #errorWords: number;

  /** @param byteLength size of the cell; the bytes after the slots hold the error's text */
  constructor(memory: CellMemory, byteOffset: number, slots: number, byteLength: number) {
    this.#memory = memory;
    this.#int = byteOffset / 4;
    this.#word = byteOffset / 8;
    this.#slots = slots;
    this.#errorWords = byteLength / 4 - 2 * (MONITORED + slots);
  }

  static bytesFor(slots: number): number {
    return 8 * (MONITORED + slots);
  }

  /** Takes a free cell for a new fence. @returns false when the cell is in use */
  create(initialValue: bigint, flags: number): boolean {
    const { ints, atomics } = this.#memory;
    const references = this.#int + REFERENCES;
    if (atomics.compareExchange(ints, references, 0, IN_TRANSITION) !== 0) return false;
    atomics.add(ints, this.#int + GENERATION, 1);
    this.restore(initialValue, flags);
    atomics.store(ints, references, 1);
    return true;
  }

  /** Initializes the cell as a live fence with this value, for `create`. */
  restore(value: bigint, flags: number): void {
    const { ints, words, atomics } = this.#memory;
    ints[this.#int + FLAGS] = flags;
    if (flags & FenceFlag.is32Bit) {
      atomics.store(ints, this.#int + 1, Number(BigInt.asIntN(32, value >> 31n)));
      atomics.store(ints, this.#int, Number(BigInt.asIntN(32, value)));
    } else {
      atomics.store(words, this.#word, value);
    }
    for (let slot = 0; slot < this.#slots; slot++) this.monitor(slot, NOBODY_WAITS);
    atomics.store(ints, this.#int + OPEN, 0);
    atomics.store(ints, this.#int + STATE, CellState.alive);
  }

  /** Takes one more reference to a live fence. @returns false when the fence has been destroyed */
  reference(generation: number): boolean {
    const { ints, atomics } = this.#memory;
    const references = this.#int + REFERENCES;
    for (;;) {
      const count = atomics.load(ints, references);
      if (count <= 0) return false;
      if (atomics.compareExchange(ints, references, count, count + 1) !== count) continue;
      if (this.generation === generation) return true;
      this.unreference();
      return false;
    }
  }

  /** Releases a reference. Releasing the last reference destroys the fence. @returns true for the last reference */
  unreference(): boolean {
    const { ints, atomics } = this.#memory;
    const references = this.#int + REFERENCES;
    for (;;) {
      const count = atomics.load(ints, references);
      const next = count === 1 ? IN_TRANSITION : count - 1;
      if (atomics.compareExchange(ints, references, count, next) !== count) continue;
      if (next !== IN_TRANSITION) return false;
      atomics.store(ints, this.#int + STATE, CellState.free);
      atomics.store(ints, references, 0);
      return true;
    }
  }

  get isAlive(): boolean {
    return this.#memory.atomics.load(this.#memory.ints, this.#int + REFERENCES) > 0;
  }

  get generation(): number {
    return this.#memory.atomics.load(this.#memory.ints, this.#int + GENERATION);
  }

  /**
   * Bits of `FenceFlag`. They don't change while the fence is alive, and a thread learns of the fence by a message.
   * So a plain read is enough.
   */
  get flags(): number {
    return this.#memory.ints[this.#int + FLAGS];
  }

  /** One bit per slot that has the fence open. */
  get openSlots(): number {
    return this.#memory.atomics.load(this.#memory.ints, this.#int + OPEN);
  }

  openSlot(slot: number): void {
    this.#memory.atomics.or(this.#memory.ints, this.#int + OPEN, 1 << slot);
  }

  closeSlot(slot: number): void {
    this.monitor(slot, NOBODY_WAITS);
    this.#memory.atomics.and(this.#memory.ints, this.#int + OPEN, ~(1 << slot));
  }

  /** The last value signalled. It is never torn, even while other threads signal. */
  get current(): bigint {
    const { words, atomics } = this.#memory;
    return this.is32Bit ? this.#current32() : atomics.load(words, this.#word);
  }

  get is32Bit(): boolean {
    return (this.flags & FenceFlag.is32Bit) !== 0;
  }

  /**
   * Raises the current value: the first half of a signal.
   * @returns false when the value had been reached already
   * @throws StateError `bad-fence-value`; in 32-bit mode `fence-out-of-range`
   */
  raise(signalled: FenceValue, name = 'fence'): boolean {
    const { words, atomics } = this.#memory;
    const value = fenceValue(signalled, name);
    if (this.is32Bit) return this.#raise32(value, name);
    for (;;) {
      const now = atomics.load(words, this.#word);
      if (value <= now) return false;
      if (atomics.compareExchange(words, this.#word, now, value) === now) return true;
    }
  }

  monitored(slot: number): FenceValue {
    const { words, atomics } = this.#memory;
    const value = atomics.load(words, this.#word + MONITORED + slot);
    return value === NOBODY ? NOBODY_WAITS : value;
  }

  /** Writes the slot's monitored value. Only the slot's owner may call it, and must read `current` again afterwards. */
  monitor(slot: number, value: FenceValue): void {
    const { words, atomics } = this.#memory;
    const bits = value === NOBODY_WAITS ? NOBODY : BigInt(value);
    atomics.store(words, this.#word + MONITORED + slot, bits);
  }

  /**
   * Calls `notify` for each open slot whose monitored value is below `value`: the second half of a signal. Call it
   * after `raise`, never before.
   */
  forEachToNotify(value: bigint, notify: (slot: number) => void): void {
    const open = this.openSlots;
    for (let slot = 0; slot < this.#slots; slot++) {
      if (open & (1 << slot) && value > this.monitored(slot)) notify(slot);
    }
  }

  /** Fails the fence for all threads. Notify every open slot afterwards. @returns false when it is not alive */
  fail(text: Uint8Array): boolean {
    const { ints, atomics } = this.#memory;
    const state = this.#int + STATE;
    if (atomics.compareExchange(ints, state, CellState.alive, CellState.failing) !== CellState.alive) {
      return false;
    }
    const length = Math.min(text.length, this.#errorWords * 4);
    for (let at = 0; at < length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = text.subarray(at, Math.min(at + 4, length));
      atomics.store(ints, this.#errorAt + at / 4, a | (b << 8) | (c << 16) | (d << 24));
    }
    atomics.store(ints, this.#int + ERROR_LENGTH, length);
    atomics.store(ints, state, CellState.failed);
    return true;
  }

  /** The text that `fail` received, cut to the space in the cell; `null` when the fence has not failed. */
  get failure(): Uint8Array | null {
    const { ints, atomics } = this.#memory;
    if (atomics.load(ints, this.#int + STATE) !== CellState.failed) return null;
    const text = new Uint8Array(atomics.load(ints, this.#int + ERROR_LENGTH));
    for (let at = 0; at < text.length; at++) {
      text[at] = atomics.load(ints, this.#errorAt + (at >> 2)) >> (8 * (at & 3));
    }
    return text;
  }

  get #errorAt(): number {
    return this.#int + 2 * (MONITORED + this.#slots);
  }

  /**
   * Reads the value of a 32-bit fence, up to 63 bits. Memory holds its low 32 bits, and a count of the half ranges
   * (2^31) passed. The count is written after the low word, so it is either right or one behind. It is behind if its
   * last bit differs from the top bit of the low word.
   */
  #current32(): bigint {
    const { ints, atomics } = this.#memory;
    for (;;) {
      const halves = atomics.load(ints, this.#int + 1);
      const low = atomics.load(ints, this.#int);
      // A count that has changed since belongs to another low word.
      if (atomics.load(ints, this.#int + 1) === halves) return extend(halves, low);
    }
  }

  #raise32(value: bigint, name: string): boolean {
    const { ints, atomics } = this.#memory;
    for (;;) {
      const now = this.#current32();
      if (value <= now) return false;
      checkRange(value, now, name);
      const [low, halves] = [Number(BigInt.asIntN(32, now)), Number(BigInt.asIntN(32, now >> 31n))];
      // The count may be at most one behind, so correct it before the low word changes.
      const counted = atomics.load(ints, this.#int + 1);
      if (counted !== halves) atomics.compareExchange(ints, this.#int + 1, (halves - 1) | 0, halves);
      const next = Number(BigInt.asIntN(32, value));
      if (atomics.compareExchange(ints, this.#int, low, next) !== low) continue;
      const nextHalves = Number(BigInt.asIntN(32, value >> 31n));
      if (nextHalves !== halves) atomics.compareExchange(ints, this.#int + 1, halves, nextHalves);
      return true;
    }
  }
}

/** Creates cells for one thread's private fences. They have no error text, so that 102 fit in 4 KiB. */
export function packedFenceCells(atomics: FenceAtomics = Atomics): PackedCells<FenceCell> {
  const stride = FenceCell.bytesFor(1);
  return new PackedCells(stride, (page, byteOffset) => {
    const memory = { ints: new Int32Array(page), words: new BigUint64Array(page), atomics };
    return new FenceCell(memory, byteOffset, 1, stride);
  });
}

/**
 * Checks the value of a wait or signal in 32-bit mode.
 * @throws StateError `fence-out-of-range` for a value that 32 bits can't distinguish from a past value (SYSTEMS F6)
 */
export function checkRange(value: bigint, current: bigint, name: string): void {
  if (value - current <= HALF_RANGE) return;
  throw new StateError(
    'fence-out-of-range',
    `The fence "${name}" has 32 bits and its value is ${current}, so ${value} is out of range: it may be at most ${current} + ${HALF_RANGE}. Use a smaller value, or create the fence with 64 bits.`,
  );
}

function extend(halves: number, low: number): bigint {
  const isBehind = (halves & 1) !== low >>> 31;
  return (BigInt((halves + Number(isBehind)) >>> 0) << 31n) | BigInt(low & 0x7fffffff);
}

/** Returns the value as a bigint. @throws StateError `bad-fence-value` */
export function fenceValue(value: FenceValue, name: string): bigint {
  if (isFenceValue(value)) return BigInt(value);
  throw new StateError(
    'bad-fence-value',
    `The fence "${name}" was given ${value}; give it a whole number from 0 to 2^53 − 1, or a bigint below 2^64 − 1.`,
  );
}
