/**
 * One thread's handle to a fence that several threads and queues share (SYSTEMS F1–F3, F7). A fence is a 64-bit value
 * that only grows. Only signals of threads and queues raise it; the property `value` is read-only.
 *
 *   thread A   create 'done' ─ share() ─► descriptor ─ postMessage ─► thread B   open(descriptor)
 *              signal(3n) ─────────────► one current value ◄────────────────────  whenReached(3n) · block(3n)
 *              close(): this handle only; the fence dies with its last handle
 */
import type { FencepostError } from '../../core/errors.js';
import type { SignallableFence } from '../waitable.js';
import { FenceFlag } from './cells/fence-cell.js';
import { checkSignallable, type WaitOptions } from './fence-options.js';
import type { LocalFence } from './local-fence.js';

/** A description of a fence, with which another thread opens it. It is plain data: post it as it is. */
export interface FenceDescriptor {
  readonly group: string;
  readonly index: number;
  readonly generation: number;
  readonly name: string;
  readonly flags: number;
  /** The value when the fence was shared. Copies on other threads begin with it. */
  readonly value: bigint;
}

/** A fence and a value, to wait for or to signal. */
export interface FencePoint {
  readonly fence: MonitoredFence;
  readonly value: number | bigint;
}

/** The owner of handles: the thread's part of the group. */
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
  /** @internal Listens for notifications. Called after a wait for a fence has begun. */
  listen(): void;
  /** True on a thread that takes part by messages: reading a copy's value then requests the next value. */
  readonly mustPoll: boolean;
}

export class MonitoredFence implements SignallableFence {
  /** @internal The state that all handles of this thread to the fence share. */
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

  /** The fence's number in the group, as in logs; −1 for a private fence. */
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
   * The last value signalled, exact up to 2^53. Without shared memory the value is a copy, which is never ahead of the
   * fence. Reading the copy requests the next value. The value stays the same once this thread's last handle is closed.
   */
  get value(): number {
    return Number(this.value64);
  }

  /** The last value signalled, with all 64 bits. */
  get value64(): bigint {
    if (this.owner.mustPoll && !this.isPrivate) this.local.waiters.poll();
    return this.local.value;
  }

  /** The error that ended the fence, or `null`. */
  get error(): FencepostError | null {
    return this.local.failure;
  }

  isReached(value: number | bigint): boolean {
    return this.value64 >= value;
  }

  /**
   * Signals from the CPU, and releases the waiters on all threads. Threads with shared memory see the value at once. A
   * value already reached changes nothing.
   * @throws StateError `bad-fence-value`, `fence-closed`, `fence-of-queue`, `fence-out-of-range` (32 bits); never the
   * fence's error
   */
  signal(value: number | bigint): void {
    this.owner.signal([{ fence: this, value }]);
  }

  /**
   * Fails the fence for all threads: every waiter gets the error. The first error is kept. Does nothing once this
   * thread's handles are closed.
   * @throws StateError `fence-of-queue`
   */
  fail(error: Error): void {
    checkSignallable(this);
    this.owner.fail(this.local, error);
  }

  /**
   * Resolves when the value is reached.
   * @throws (rejects) the fence's error; the reason of the aborted `signal`; ThreadError `wait-timed-out`; OptionError
   * `option-unknown`, `option-invalid`, `bad-fence-option` (deadline); StateError `bad-fence-value`, `fence-closed`,
   * `fence-out-of-range` (32 bits), `fences-disposed`
   */
  whenReached(value: number | bigint, options?: WaitOptions): Promise<void> {
    return this.owner.whenAll([{ fence: this, value }], options);
  }

  /**
   * Blocks this thread until the value is reached. Only pool workers with shared memory and without a queue may block.
   * They can't wait for a private fence.
   * @throws ThreadError `blocking-refused` where blocking is not allowed; as `whenReached`
   */
  block(value: number | bigint, options?: WaitOptions): void {
    this.owner.blockUntilAll([{ fence: this, value }], options);
  }

  /**
   * Calls `listener` when the fence fails, and after every change that this thread is notified of.
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void {
    const unsubscribe = this.local.waiters.subscribe(listener);
    this.owner.listen();
    return unsubscribe;
  }

  /**
   * Describes the fence for `Fences.open` on another thread.
   * @throws StateError `fence-not-shareable` for a private fence, `fence-closed`
   */
  share(): FenceDescriptor {
    return this.owner.describe(this.local);
  }

  /** Closes this handle. Waits begun with it reject; other handles stay open. */
  close(): void {
    this.owner.closeHandle(this);
  }
}
