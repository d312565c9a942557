/**
 * Counts staging memory against a limit (SYSTEMS M6), and keeps the read-backs that `doNotWait` calls have
 * begun (M2). Callers take bytes and release them. Waiting requests get their bytes in order, so that later
 * small requests do not starve a large request. The bytes of uncollected read-backs count too, and are
 * dropped first. A buffer has at most one read-back.
 *
 *   limit 100   take 60 ✓   take 60 ✗ ─► wait 60 ── release 60 ─► its turn
 *
 *   map, doNotWait ─► begin ─► was-still-drawing     bytes arrive      map, doNotWait ─► collect
 *                       └──────── readBuffer ──────────► │                               bytes
 */
import type { BufferHandle } from '../commands/descriptors.js';
import type { MapRange } from './mapped-buffer.js';

interface Turn {
  readonly byteLength: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A read-back that a `doNotWait` call has begun and no call has collected yet. */
interface ReadBack extends MapRange {
  /** Value of `BufferLedger.sequence` when the read was recorded. */
  readonly sequence: number;
  bytes: ArrayBuffer | null;
  error: unknown;
  /** Whether the read-back was dropped while in flight, so that its arriving bytes are released. */
  isDropped: boolean;
}

export class Staging {
  usedBytes = 0;
  peakBytes = 0;
  #turns: Turn[] = [];
  readonly #readBacks = new Map<BufferHandle, ReadBack>();

  /** @param limit maximum number of bytes in use */
  constructor(readonly limit: number) {}

  /** Whether a request waits for bytes. */
  get isAwaited(): boolean {
    return this.#turns.length > 0;
  }

  /**
   * Takes bytes. If they do not fit, drops read-backs whose bytes have arrived and were not collected. Returns false if
   * the bytes still do not fit, or if requests wait.
   */
  take(byteLength: number): boolean {
    if (this.#takeNow(byteLength)) return true;
    for (const [buffer, { bytes }] of this.#readBacks) {
      if (bytes === null) continue;
      this.drop(buffer);
      if (this.#takeNow(byteLength)) return true;
    }
    return false;
  }

  /** Resolves when the bytes have been taken. @param byteLength at most the limit */
  wait(byteLength: number): Promise<void> {
    return new Promise((resolve, reject) => this.#turns.push({ byteLength, resolve, reject }));
  }

  release(byteLength: number): void {
    this.usedBytes -= byteLength;
    for (let turn = this.#turns[0]; turn && this.#fits(turn.byteLength); turn = this.#turns[0]) {
      this.#turns.shift();
      this.#add(turn.byteLength);
      turn.resolve();
    }
  }

  /** Rejects all waiting requests, and forgets all read-backs. */
  fail(error: Error): void {
    this.#readBacks.clear();
    for (const { reject } of this.#turns) reject(error);
    this.#turns = [];
  }

  /** Returns the buffer's read-back if it has this range. */
  find(buffer: BufferHandle, { byteOffset, byteLength }: MapRange): ReadBack | undefined {
    const readBack = this.#readBacks.get(buffer);
    const isSame = readBack?.byteOffset === byteOffset && readBack.byteLength === byteLength;
    return isSame ? readBack : undefined;
  }

  /**
   * Begins a read-back that owns `range.byteLength` bytes already taken. `collect` passes the bytes to the caller. They
   * are released if the read-back fails or is dropped; a read-back dropped in flight releases them once it ends.
   */
  begin(buffer: BufferHandle, range: MapRange, sequence: number, reading: Promise<ArrayBuffer>): void {
    const readBack: ReadBack = { ...range, sequence, bytes: null, error: null, isDropped: false };
    this.#readBacks.set(buffer, readBack);
    reading.then(
      (bytes) => {
        readBack.bytes = bytes;
        if (readBack.isDropped) this.release(range.byteLength);
        // Waiting requests get the memory first, because the caller of `map` may never collect the bytes.
        else if (this.isAwaited) this.drop(buffer);
      },
      (error: unknown) => {
        this.release(range.byteLength);
        readBack.error = error;
      },
    );
  }

  /** Forgets a read-back that has ended. Unless it failed, the caller now owns its bytes. */
  collect(buffer: BufferHandle): void {
    this.#readBacks.delete(buffer);
  }

  drop(buffer: BufferHandle): void {
    const readBack = this.#readBacks.get(buffer);
    if (readBack === undefined) return;
    this.#readBacks.delete(buffer);
    readBack.isDropped = true;
    if (readBack.bytes !== null) this.release(readBack.byteLength);
  }

  dropDestroyed(isLive: (buffer: BufferHandle) => boolean): void {
    for (const buffer of this.#readBacks.keys()) if (!isLive(buffer)) this.drop(buffer);
  }

  #takeNow(byteLength: number): boolean {
    const isTaken = !this.isAwaited && this.#fits(byteLength);
    if (isTaken) this.#add(byteLength);
    return isTaken;
  }

  #fits(byteLength: number): boolean {
    return this.usedBytes + byteLength <= this.limit;
  }

  #add(byteLength: number): void {
    this.usedBytes += byteLength;
    this.peakBytes = Math.max(this.peakBytes, this.usedBytes);
  }
}
