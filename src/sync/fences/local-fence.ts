/**
 * What one thread keeps of a fence, however many handles it has to it: the cell, whoever waits here, and the error.
 * When the last handle closes, value and error stay as they are; the cell may be another fence's from then on.
 */
import { errorFromData, type FencepostError, isTyped, ThreadError } from '../../core/errors.js';
import type { FenceValue } from '../waitable.js';
import { type FenceCell, fenceValue } from './cells/fence-cell.js';
import { FenceWaiters } from './fence-waiters.js';

/** A fence to raise, by whoever. */
export interface CellSignal {
  readonly cell: FenceCell;
  readonly index: number;
  readonly name: string;
  readonly value: bigint;
  readonly local?: LocalFence;
}

export class LocalFence {
  readonly name: string;
  /** In the group; −1: private. */
  readonly index: number;
  readonly flags: number;
  readonly cell: FenceCell;
  /** Tells this fence from those that had its place before. */
  readonly generation: number;
  /** This thread's slot. */
  readonly waiters: FenceWaiters;
  /** Slots of this thread's queues, by queue. */
  readonly queues = new Map<number, FenceWaiters>();
  /** Open handles. */
  handles = 0;
  /** The value when the last handle was closed, or null. */
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

  /** Nobody here may touch the cell any more. */
  get isClosed(): boolean {
    return this.#valueAtClose !== null;
  }

  /** The error that ended the fence, on whichever thread that was. */
  get failure(): FencepostError | null {
    if (this.#failure === null && !this.isClosed) {
      const text = this.cell.failure;
      if (text !== null) this.#failure = decodeError(text);
    }
    return this.#failure;
  }

  /** @throws StateError `bad-fence-value` */
  signalOf(value: number | bigint): CellSignal {
    const { cell, index, name } = this;
    return { cell, index, name, value: fenceValue(value, name), local: this };
  }

  /** The last handle was closed: ends all waits here with the error, and lets go of the cell. */
  close(error: FencepostError): void {
    this.#failure = this.failure;
    this.#valueAtClose = this.cell.current;
    this.waiters.close(error);
    for (const waiters of this.queues.values()) waiters.close(error);
    this.cell.unreference();
  }

  /** Ends the fence for everybody. False when it had ended, or is closed here. */
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

  /** Releases whom the fence's state releases, on all slots of this thread. */
  look(): void {
    this.waiters.look();
    for (const waiters of this.queues.values()) waiters.look();
  }
}

/** Lines, the message last, so that one cut short is still an error. */
export function encodeError({ name, code, message }: FencepostError): Uint8Array {
  return new TextEncoder().encode(`${name}\n${code}\n${message}`);
}

function decodeError(text: Uint8Array): FencepostError {
  const [name = '', code = 'internal', ...message] = new TextDecoder().decode(text).split('\n');
  return errorFromData({ name, code, message: message.join('\n'), stack: '' });
}
