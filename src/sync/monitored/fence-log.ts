/**
 * What a queue has done with fences, in the order in which it did it (SYSTEMS F9). Each queue has two logs: waits that
 * ended, and signals that were executed. One thread writes, any reads; nothing holds the writer up, so what is not
 * read in time is overwritten, and the reader knows how much.
 *
 *   | size in use | header | entry 0 | entry 1 | … | entry 124 | 125 | header | entry 0 … 253 | …
 *                   first free index and count of wraps: one word of 64 bits, so that they agree
 *
 *   writer   value of the fence ── entry ── header ── (barrier) ── notification
 *   reader   header ── (barrier) ── entries ── header again: what was overwritten meanwhile doesn't count
 *
 * While somebody traces, a log that is full moves on to a region twice as large instead of wrapping, and the old one
 * stays as it is. Times are what a CPU has observed: WebGPU gives no time per fence.
 */
import { type FenceMemory, FIRST_LOG_REGION_BYTES, LOG_HEADER_BYTES, LOG_REGIONS } from './fence-memory.js';

export const FenceOperation = { waitUnblocked: 1, signalExecuted: 2 } as const;
export type FenceOperationName = 'WAIT_UNBLOCKED' | 'SIGNAL_EXECUTED';

/** Times are milliseconds since 1970 on the clock of the queue's thread, observed by its CPU; they never go back. */
export interface FenceLogEntry {
  /** Index of the fence in its group: `MonitoredFence.index`. */
  readonly fence: number;
  readonly value: bigint;
  readonly operation: FenceOperationName;
  /** When a wait was reached; 0 for signals. */
  readonly timeObserved: number;
  readonly timeFinished: number;
}

export interface FenceLogReading {
  readonly entries: readonly FenceLogEntry[];
  /** Entries that were overwritten before they were read. */
  readonly lost: number;
}

/** What a queue has done, before it is an entry. */
export interface LoggedOperation {
  /** Index of the fence in its group. */
  readonly fence: number;
  readonly value: bigint;
  /** As in `FenceOperation`. */
  readonly operation: number;
  readonly timeObserved: number;
  readonly timeFinished: number;
}

const ENTRY_WORDS = 4;
const REGION_HEADER_WORDS = 8;
const FIRST_REGION_WORDS = FIRST_LOG_REGION_BYTES / 8;

/** Entries of a region, by its number. */
export const logCapacity = (region: number): number =>
  (FIRST_REGION_WORDS * 2 ** region - REGION_HEADER_WORDS) / ENTRY_WORDS;

/** Of the whole log: words before a region. */
const regionWord = (region: number): number => LOG_HEADER_BYTES / 8 + FIRST_REGION_WORDS * (2 ** region - 1);

const doubles = /* @__PURE__ */ new Float64Array(1);
const bits = /* @__PURE__ */ new BigUint64Array(doubles.buffer);

function bitsOf(double: number): bigint {
  doubles[0] = double;
  return bits[0];
}

function doubleOf(word: bigint): number {
  bits[0] = word;
  return doubles[0];
}

/** The writing end; one per log. */
export class FenceLog {
  readonly #memory: FenceMemory;
  readonly #word: number;
  #region: number;
  #first: number;
  #wraps: number;
  #lastTime = 0;

  /** Goes on where the log stands: a queue before may have had its number. */
  constructor(memory: FenceMemory, queue: number, kind: 0 | 1) {
    this.#memory = memory;
    this.#word = memory.logOffset(queue, kind) / 8;
    const { words, atomics } = memory;
    this.#region = Number(atomics.load(words, this.#word));
    const header = atomics.load(words, this.#word + regionWord(this.#region));
    this.#first = Number(header & 0xffffffffn);
    this.#wraps = Number(header >> 32n);
  }

  /** After the fence's value, before anybody is told. */
  append({ fence, value, operation, timeObserved, timeFinished }: LoggedOperation): void {
    const { words, atomics } = this.#memory;
    if (this.#first === logCapacity(this.#region)) this.#goOn();
    // Clocks may be set back; the log's times may not.
    this.#lastTime = Math.max(this.#lastTime, timeFinished);
    const header = this.#word + regionWord(this.#region);
    const at = header + REGION_HEADER_WORDS + this.#first * ENTRY_WORDS;
    atomics.store(words, at, BigInt(fence) | (BigInt(operation) << 32n));
    atomics.store(words, at + 1, value);
    atomics.store(words, at + 2, bitsOf(Math.min(timeObserved, this.#lastTime)));
    atomics.store(words, at + 3, bitsOf(this.#lastTime));
    this.#first++;
    atomics.store(words, header, BigInt(this.#first) | (BigInt(this.#wraps) << 32n));
  }

  /** The region is full: overwrites from its start, or moves to a larger one. */
  #goOn(): void {
    const { words, atomics } = this.#memory;
    this.#first = 0;
    if (this.#memory.isTracing && this.#region + 1 < LOG_REGIONS) {
      this.#region++;
      this.#wraps = 0;
      atomics.store(words, this.#word + regionWord(this.#region), 0n);
      atomics.store(words, this.#word, BigInt(this.#region));
    } else {
      this.#wraps++;
    }
  }
}

/** A reading end; any number per log. It begins with what the log still has, or with what comes from now on. */
export class FenceLogReader {
  readonly #memory: FenceMemory;
  readonly #word: number;
  #region: number;
  /** Entries of this region that were read or lost. */
  #count: number;
  /** True once entries were lost: what is built from this log has gaps (a trace is lossy). */
  isLossy = false;

  constructor(memory: FenceMemory, queue: number, kind: 0 | 1, from: 'start' | 'now' = 'start') {
    this.#memory = memory;
    this.#word = memory.logOffset(queue, kind) / 8;
    this.#region = from === 'start' ? 0 : this.#newestRegion;
    this.#count = from === 'start' ? 0 : this.#written;
  }

  /** Everything since the last reading. */
  read(): FenceLogReading {
    const entries: FenceLogEntry[] = [];
    let lost = 0;
    for (;;) {
      const newest = this.#newestRegion;
      const isFinal = newest > this.#region;
      const written = this.#written;
      const found: FenceLogEntry[] = [];
      const capacity = logCapacity(this.#region);
      const from = Math.max(this.#count, written - capacity);
      for (let entry = from; entry < written; entry++) found.push(this.#entry(entry % capacity));
      // The entry after the last may be half written, over the oldest one; in a region that was left none is.
      const overwritten = Math.max(from, this.#written - capacity + Number(!isFinal));
      lost += Math.max(0, Math.min(overwritten, written) - this.#count);
      entries.push(...found.slice(Math.max(0, overwritten - from)));
      this.#count = written;
      if (!isFinal) break;
      this.#region++;
      this.#count = 0;
    }
    if (lost > 0) this.isLossy = true;
    return { entries, lost };
  }

  get #newestRegion(): number {
    return Number(this.#memory.atomics.load(this.#memory.words, this.#word));
  }

  /** Entries ever written to this region: wraps × capacity + first free index. */
  get #written(): number {
    const header = this.#memory.atomics.load(this.#memory.words, this.#word + regionWord(this.#region));
    return Number(header >> 32n) * logCapacity(this.#region) + Number(header & 0xffffffffn);
  }

  #entry(index: number): FenceLogEntry {
    const { words, atomics } = this.#memory;
    const at = this.#word + regionWord(this.#region) + REGION_HEADER_WORDS + index * ENTRY_WORDS;
    const first = atomics.load(words, at);
    return {
      fence: Number(first & 0xffffffffn),
      operation: Number(first >> 32n) === FenceOperation.waitUnblocked ? 'WAIT_UNBLOCKED' : 'SIGNAL_EXECUTED',
      value: atomics.load(words, at + 1),
      timeObserved: doubleOf(atomics.load(words, at + 2)),
      timeFinished: doubleOf(atomics.load(words, at + 3)),
    };
  }
}
