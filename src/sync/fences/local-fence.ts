/**
 * One thread's state of a fence, shared by all its handles: the cell, the thread's waiters, and the error. When the
 * last handle closes, value and error stay as they are. The cell may then belong to another fence.
 */
import { errorFromData, type FencepostError, isTyped, ThreadError } from '../../core/errors.js';
import type { FenceValue } from '../waitable.js';
import { type FenceCell, fenceValue } from './cells/fence-cell.js';
import { FenceWaiters } from './fence-waiters.js';

/** A fence and the value to raise it to. */
export interface CellSignal {
  readonly cell: FenceCell;
  readonly index: number;
  readonly name: string;
  readonly value: bigint;
  readonly local?: LocalFence;
}

export class LocalFence {
  readonly name: string;
  /** The fence's number in the group; −1 for a private fence. */
  readonly index: number;
  readonly flags: number;
  readonly cell: FenceCell;
  /** Distinguishes this fence from earlier fences with the same index. */
  readonly generation: number;
  /** Waiters of this thread's slot. */
  readonly waiters: FenceWaiters;
  /** Waiters of this thread's queues, by queue. */
  readonly queues = new Map<number, FenceWaiters>();
  /** Number of open handles. */
  handles = 0;
  /** The value when the last handle was closed, or `null` while a handle is open. */
  #valueAtClose: bigint | null = null;
  #failure: FencepostError | null = null;

  constructor(
    name: string,
    index: number,
    cell: FenceCell,
    slot: number,
    generation: number,
    onMonitored?: (value: FenceValue) => void,
  ) {
    this.name = name;
    this.index = index;
    this.cell = cell;
    this.generation = generation;
    this.flags = cell.flags;
    cell.openSlot(slot);
    this.waiters = new FenceWaiters(cell, slot, () => this.failure, false, onMonitored);
  }

  /** The last value signalled. */
  get value(): bigint {
    return this.#valueAtClose ?? this.cell.current;
  }

  /** True once the last handle is closed: then this thread may not touch the cell. */
  get isClosed(): boolean {
    return this.#valueAtClose !== null;
  }

  /** The error that ended the fence, on any thread, or `null`. */
  get failure(): FencepostError | null {
    if (this.#failure === null && !this.isClosed) {
      const text = this.cell.failure;
      if (text !== null) this.#failure = decodeError(text);
    }
    return this.#failure;
  }

  /** Returns a signal of this fence with the value. @throws StateError `bad-fence-value` */
  signalOf(value: number | bigint): CellSignal {
    const { cell, index, name } = this;
    return { cell, index, name, value: fenceValue(value, name), local: this };
  }

  /** Ends all waits of this thread with the error and releases the cell. Called when the last handle closes. */
  close(error: FencepostError): void {
    this.#failure = this.failure;
    this.#valueAtClose = this.cell.current;
    this.waiters.close(error);
    for (const waiters of this.queues.values()) waiters.close(error);
    this.cell.unreference();
  }

  /** Fails the fence for all threads. @returns false if it has failed already, or this thread has closed it */
  fail(error: Error): boolean {
    if (this.isClosed) return false;
    const typed = isTyped(error)
      ? error
      : new ThreadError('internal', error?.message ?? `The fence "${this.name}" was ended by ${error}.`, {
          cause: error,
        });
    if (!this.cell.fail(encodeError(typed))) return false;
    this.#failure = typed;
    return true;
  }

  get isWaiting(): boolean {
    if (this.waiters.isWaiting) return true;
    for (const waiters of this.queues.values()) if (waiters.isWaiting) return true;
    return false;
  }

  /** Releases all satisfied waiters in all slots of this thread. */
  check(): void {
    this.waiters.check();
    for (const waiters of this.queues.values()) waiters.check();
  }
}

/** Encodes the error as lines. The message comes last, so that a text cut short still has its name and code. */
export function encodeError({ name, code, message }: FencepostError): Uint8Array {
  return new TextEncoder().encode(`${name}\n${code}\n${message}`);
}

function decodeError(text: Uint8Array): FencepostError {
  const [name = '', code = 'internal', ...message] = new TextDecoder().decode(text).split('\n');
  return errorFromData({ name, code, message: message.join('\n'), stack: '' });
}
