/**
 * Read-backs that were begun for who may not wait (SYSTEMS M2): the bytes lie here until the next call collects them,
 * and count as staging. Of each buffer there is one at a time.
 *
 *   map, doNotWait ─► begin ─► was-still-drawing     bytes arrive      map, doNotWait ─► collect
 *                       └──────── readBuffer ──────────► │                               bytes
 */

import type { BufferHandle } from '../commands/descriptors.js';
import type { StagingBudget } from '../memory/staging-budget.js';
import type { MapRange } from './mapped-buffer.js';

/** A read-back that a `doNotWait` call began and none has collected. */
export interface Prefetch extends MapRange {
  /** The ledger's count when it was recorded. */
  readonly sequence: number;
  bytes: ArrayBuffer | null;
  error: unknown;
  /** Its buffer was destroyed or changed: what arrives is nobody's. */
  isDropped: boolean;
}

export class ReadAhead {
  readonly #staging: StagingBudget;
  readonly #prefetches = new Map<BufferHandle, Prefetch>();

  constructor(staging: StagingBudget) {
    this.#staging = staging;
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
        if (prefetch.isDropped) this.#staging.release(range.byteLength);
        // Who waits for staging comes before who may come back.
        else if (this.#staging.isAwaited) this.drop(buffer);
      },
      (error: unknown) => {
        this.#staging.release(range.byteLength);
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
    if (prefetch.bytes !== null) this.#staging.release(prefetch.byteLength);
  }

  dropDestroyed(isLive: (buffer: BufferHandle) => boolean): void {
    for (const buffer of this.#prefetches.keys()) if (!isLive(buffer)) this.drop(buffer);
  }

  /** Takes staging; where there is none, from what was read and not collected. */
  take(byteLength: number): boolean {
    if (this.#staging.take(byteLength)) return true;
    for (const [buffer, { bytes }] of this.#prefetches) {
      if (bytes === null) continue;
      this.drop(buffer);
      if (this.#staging.take(byteLength)) return true;
    }
    return false;
  }

  clear(): void {
    this.#prefetches.clear();
  }
}
