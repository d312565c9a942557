/**
 * A limit of staging memory (SYSTEMS M6), and the read-backs in it that `doNotWait` calls have begun (M2). Bytes are
 * taken and released. Requests that may wait get their turns in order, so that later small ones do not starve a large
 * one. Bytes read ahead and not yet collected count too, and are dropped first. There is at most one read-ahead per
 * buffer.
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
interface Prefetch extends MapRange {
  /** The ledger's count when it was recorded. */
  readonly sequence: number;
  bytes: ArrayBuffer | null;
  error: unknown;
  /** Whether its buffer was destroyed or changed, so that the arriving bytes are discarded. */
  isDropped: boolean;
}

export class Staging {
  usedBytes = 0;
  peakBytes = 0;
  #turns: Turn[] = [];
  readonly #prefetches = new Map<BufferHandle, Prefetch>();

  /** @param limit bytes */
  constructor(readonly limit: number) {}

  /** Whether a request waits for its turn. */
  get isAwaited(): boolean {
    return this.#turns.length > 0;
  }

  /**
   * Takes bytes, and drops uncollected read-backs to make room. Returns false if the bytes do not fit, or requests
   * wait.
   */
  take(byteLength: number): boolean {
    if (this.#takeNow(byteLength)) return true;
    for (const [buffer, { bytes }] of this.#prefetches) {
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
    this.#prefetches.clear();
    for (const { reject } of this.#turns) reject(error);
    this.#turns = [];
  }

  /** Returns the buffer's read-back if it has this range. */
  find(buffer: BufferHandle, { byteOffset, byteLength }: MapRange): Prefetch | undefined {
    const prefetch = this.#prefetches.get(buffer);
    const isSame = prefetch?.byteOffset === byteOffset && prefetch.byteLength === byteLength;
    return isSame ? prefetch : undefined;
  }

  /** Begins a read-back in staging memory taken before, which it keeps until it is collected or dropped. */
  begin(buffer: BufferHandle, range: MapRange, sequence: number, reading: Promise<ArrayBuffer>): void {
    const prefetch: Prefetch = { ...range, sequence, bytes: null, error: null, isDropped: false };
    this.#prefetches.set(buffer, prefetch);
    reading.then(
      (bytes) => {
        prefetch.bytes = bytes;
        if (prefetch.isDropped) this.release(range.byteLength);
        // Waiting requests come before a caller that may never collect.
        else if (this.isAwaited) this.drop(buffer);
      },
      (error: unknown) => {
        this.release(range.byteLength);
        prefetch.error = error;
      },
    );
  }

  /** Hands the read-back's staging memory over to the caller. */
  collect(buffer: BufferHandle): void {
    this.#prefetches.delete(buffer);
  }

  drop(buffer: BufferHandle): void {
    const prefetch = this.#prefetches.get(buffer);
    if (prefetch === undefined) return;
    this.#prefetches.delete(buffer);
    prefetch.isDropped = true;
    if (prefetch.bytes !== null) this.release(prefetch.byteLength);
  }

  dropDestroyed(isLive: (buffer: BufferHandle) => boolean): void {
    for (const buffer of this.#prefetches.keys()) if (!isLive(buffer)) this.drop(buffer);
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
