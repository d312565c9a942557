/**
 * One thread's handle to a fence that several threads and queues share (SYSTEMS F1–F3, F7): a value of 64 bits that
 * only grows, raised by calls and never by writing.
 *
 *   thread A   create 'done' ─ share() ─► descriptor ─ postMessage ─► thread B   open(descriptor)
 *              signal(3n) ─────────────► one current value ◄────────────────────  whenReached(3n) · block(3n)
 *              close(): this handle only; the fence dies with its last handle
 */
import type { FencepostError } from '../../core/errors.js';
import type { SignallableFence } from '../waitable.js';
import { FenceFlag } from './cells/fence-cell.js';
import type { WaitOptions } from './fence-options.js';
import type { LocalFence } from './local-fence.js';

/** What another thread opens the fence with. Plain data: post it as it is. */
export interface FenceDescriptor {
  readonly group: string;
  readonly index: number;
  readonly generation: number;
  readonly name: string;
  readonly flags: number;
  /** The value when it was shared; a copy elsewhere begins with it. */
  readonly value: bigint;
}

/** A fence and the value that is waited for. */
export interface FencePoint {
  readonly fence: MonitoredFence;
  readonly value: number | bigint;
}

/** What a handle needs of the thread's group. */
export interface FenceOwner {
  signal(points: readonly FencePoint[]): void;
  /** @internal */
  fail(fence: LocalFence, error: Error): void;
  whenAll(points: readonly FencePoint[], options?: WaitOptions): Promise<void>;
  blockUntilAll(points: readonly FencePoint[], options?: WaitOptions): void;
  /** @internal */
  describe(fence: LocalFence): FenceDescriptor;
  /** @internal */
  closeHandle(handle: MonitoredFence): void;
  /** @internal After somebody has begun to wait for this fence. */
  listen(): void;
  /** Asks for the next value of a fence whose copy here is only as new as the last message. */
  readonly mustPoll: boolean;
}

export class MonitoredFence implements SignallableFence {
  /** @internal What the thread's handles to this fence have in common. */
  readonly local: LocalFence;
  /** @internal */
  readonly owner: FenceOwner;

  /** @internal Made by `Fences.create` and `Fences.open`. */
  constructor(local: LocalFence, owner: FenceOwner) {
    this.local = local;
    this.owner = owner;
  }

  get name(): string {
    return this.local.name;
  }

  /** The number by which logs name it; −1: private. */
  get index(): number {
    return this.local.index;
  }

  get is32Bit(): boolean {
    return (this.local.flags & FenceFlag.is32Bit) !== 0;
  }

  get isPrivate(): boolean {
    return this.local.index < 0;
  }

  get isCrossDevice(): boolean {
    return (this.local.flags & FenceFlag.isCrossDevice) !== 0;
  }

  /**
   * The last value signalled, exact up to 2^53. Where memory can't be shared it is a copy, never ahead; reading it
   * asks for the next value. Of a closed handle it is the value when this thread's last handle was closed.
   */
  get value(): number {
    return Number(this.value64);
  }

  /** All 64 bits of it. */
  get value64(): bigint {
    if (this.owner.mustPoll && !this.isPrivate) this.local.waiters.poll();
    return this.local.value;
  }

  /** The error that ended it, or null. */
  get error(): FencepostError | null {
    return this.local.failure;
  }

  isReached(value: number | bigint): boolean {
    return this.value64 >= value;
  }

  /**
   * CPU signal: every reader sees the value at once, and whoever waited for it goes on. A value already reached
   * changes nothing.
   * @throws StateError `bad-fence-value`, `fence-closed`, `fence-out-of-range` (32 bits); the fence's error never
   */
  signal(value: number | bigint): void {
    this.owner.signal([{ fence: this, value }]);
  }

  /**
   * Ends the fence for all threads; every waiter gets the error. The first one is kept. Does nothing once this
   * thread's handles are closed.
   */
  fail(error: Error): void {
    this.owner.fail(this.local, error);
  }

  /**
   * Resolves when the value is reached.
   * @throws (rejects) the fence's error; ThreadError `wait-timed-out`; OptionError `option-unknown`, `option-invalid`,
   * `bad-fence-option` (deadline); StateError `bad-fence-value`, `fence-closed`, `fence-out-of-range` (32 bits),
   * `fences-disposed`
   */
  whenReached(value: number | bigint, options?: WaitOptions): Promise<void> {
    return this.owner.whenAll([{ fence: this, value }], options);
  }

  /**
   * Blocks this thread until the value is reached: for workers of a pool, which have nothing else to do.
   * @throws ThreadError `blocking-refused` on any other thread; as `whenReached`
   */
  block(value: number | bigint, options?: WaitOptions): void {
    this.owner.blockUntilAll([{ fence: this, value }], options);
  }

  /** Calls back after every change that this thread hears of, and at the failure. @returns what ends it */
  subscribe(listener: () => void): () => void {
    const unsubscribe = this.local.waiters.subscribe(listener);
    this.owner.listen();
    return unsubscribe;
  }

  /** @throws StateError `fence-not-shareable` for a private fence, `fence-closed` */
  share(): FenceDescriptor {
    return this.owner.describe(this.local);
  }

  /** Ends this handle, and waits begun with it reject; other handles stay. */
  close(): void {
    this.owner.closeHandle(this);
  }
}
