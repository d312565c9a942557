/**
 * A bound on staging memory (SYSTEMS M6), and the read-backs in it that were begun for who may not wait (M2). Bytes are
 * taken and given back; who may wait gets a turn in order, so that a large request is not starved by small ones that came
 * later. What was read ahead and not collected counts, too, and gives way first; of each buffer there is one at a time.
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

/** A read-back that a `doNotWait` call began and none has collected. */
interface Prefetch extends MapRange {
  /** The ledger's count when it was recorded. */
  readonly sequence: number;
  bytes: ArrayBuffer | null;
  error: unknown;
  /** Its buffer was destroyed or changed: what arrives is nobody's. */
  isDropped: boolean;
}

export class Staging {
  usedBytes = 0;
  peakBytes = 0;
  #turns: Turn[] = [];
  readonly #prefetches = new Map<BufferHandle, Prefetch>();

  /** @param limit bytes */
  constructor(readonly limit: number) {}

  /** Somebody waits for a turn. */
  get isAwaited(): boolean {
    return this.#turns.length > 0;
  }

  /** False when it does not fit, or others wait for theirs. What was read and not collected makes way. */
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

  /** Who waits is refused, and what was read ahead forgotten. */
  fail(error: Error): void {
    this.#prefetches.clear();
    for (const { reject } of this.#turns) reject(error);
    this.#turns = [];
  }

  /** The one of this range, where there is one. */
  find(buffer: BufferHandle, { byteOffset, byteLength }: MapRange): Prefetch | undefined {
    const prefetch = this.#prefetches.get(buffer);
    const isSame = prefetch?.byteOffset === byteOffset && prefetch.byteLength === byteLength;
    return isSame ? prefetch : undefined;
  }

  /** The buffer's staging, taken before, is its until it is collected or dropped. */
  begin(buffer: BufferHandle, range: MapRange, sequence: number, reading: Promise<ArrayBuffer>): void {
    const prefetch: Prefetch = { ...range, sequence, bytes: null, error: null, isDropped: false };
    this.#prefetches.set(buffer, prefetch);
    reading.then(
      (bytes) => {
        prefetch.bytes = bytes;
        if (prefetch.isDropped) this.release(range.byteLength);
        // Who waits for staging comes before who may come back.
        else if (this.isAwaited) this.drop(buffer);
      },
      (error: unknown) => {
        this.release(range.byteLength);
        prefetch.error = error;
      },
    );
  }

  /** What was begun is somebody's now. */
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
