/**
 * Keeps the read-backs that `doNotWait` calls have begun (SYSTEMS M2). Their bytes count against the staging budget. If
 * the budget is used up, bytes that have arrived and were not collected are dropped first. A buffer has at most one
 * read-back.
 *
 *   map, doNotWait ─► begin ─► was-still-drawing     bytes arrive      map, doNotWait ─► collect
 *                       └──────── readBuffer ──────────► │                               bytes
 */
import type { BufferHandle } from '../commands/descriptors.js';
import type { MapRange } from './mapped-buffer.js';
import type { StagingBudget } from './staging-budget.js';

/** A read-back that a `doNotWait` call has begun and no call has collected yet. */
interface ReadBack extends MapRange {
  /** Value of `BufferLedger.sequence` when the read was recorded. */
  readonly sequence: number;
  bytes: ArrayBuffer | null;
  error: unknown;
  /** Whether the read-back was dropped while in flight, so that its arriving bytes are released. */
  isDropped: boolean;
}

export class PendingReads {
  readonly #budget: StagingBudget;
  readonly #readBacks = new Map<BufferHandle, ReadBack>();

  constructor(budget: StagingBudget) {
    this.#budget = budget;
  }

  /**
   * Takes bytes from the budget. If they do not fit, drops read-backs whose bytes have arrived and were not collected.
   * Returns false if the bytes still do not fit, or if other requests wait.
   */
  take(byteLength: number): boolean {
    if (this.#budget.take(byteLength)) return true;
    for (const [buffer, { bytes }] of this.#readBacks) {
      if (bytes === null) continue;
      this.drop(buffer);
      if (this.#budget.take(byteLength)) return true;
    }
    return false;
  }

  /** Forgets all read-backs. */
  clear(): void {
    this.#readBacks.clear();
  }

  /** Returns the buffer's read-back if it has this range. */
  find(buffer: BufferHandle, { byteOffset, byteLength }: MapRange): ReadBack | undefined {
    const readBack = this.#readBacks.get(buffer);
    const isSame = readBack?.byteOffset === byteOffset && readBack.byteLength === byteLength;
    return isSame ? readBack : undefined;
  }

  /**
   * Begins a read-back. The caller has taken `range.byteLength` bytes of the budget for it. `collect` makes the caller
   * responsible for these bytes. If the read-back fails or is dropped, they are released. If it is dropped while in
   * flight, they are released once it ends.
   */
  begin(buffer: BufferHandle, range: MapRange, sequence: number, reading: Promise<ArrayBuffer>): void {
    const readBack: ReadBack = { ...range, sequence, bytes: null, error: null, isDropped: false };
    this.#readBacks.set(buffer, readBack);
    reading.then(
      (bytes) => {
        readBack.bytes = bytes;
        if (readBack.isDropped) this.#budget.release(range.byteLength);
        // Waiting requests get the memory first, because the caller of `map` may never collect the bytes.
        else if (this.#budget.isAwaited) this.drop(buffer);
      },
      (error: unknown) => {
        this.#budget.release(range.byteLength);
        readBack.error = error;
      },
    );
  }

  /** Forgets a read-back that has ended. Unless it failed, the caller now has to release its bytes of the budget. */
  collect(buffer: BufferHandle): void {
    this.#readBacks.delete(buffer);
  }

  drop(buffer: BufferHandle): void {
    const readBack = this.#readBacks.get(buffer);
    if (readBack === undefined) return;
    this.#readBacks.delete(buffer);
    readBack.isDropped = true;
    if (readBack.bytes !== null) this.#budget.release(readBack.byteLength);
  }

  dropDestroyed(isLive: (buffer: BufferHandle) => boolean): void {
    for (const buffer of this.#readBacks.keys()) if (!isLive(buffer)) this.drop(buffer);
  }
}
