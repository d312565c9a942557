/**
 * What a queue has done with fences, in the order in which it did it (SYSTEMS F9). Each queue has two logs: waits that
 * ended, and signals that were executed; while somebody traces a third list of the same form holds the CPU's events, what
 * the queue was asked for. One thread writes, any reads; nothing holds the writer up, so what is not read in time is
 * overwritten, and the reader knows how much.
 *
 *   | size in use | header | entry 0 | entry 1 | … | entry 124 | 125 | header | entry 0 … 253 | …
 *                   first free index and count of wraps: one word of 64 bits, so that they agree
 *
 *   writer   value of the fence ── entry ── header ── (barrier) ── notification
 *   reader   header ── (barrier) ── entries ── header again: what was overwritten meanwhile doesn't count
 *
 * While somebody traces, a log that is full moves on to a region twice as large instead of wrapping, and the old one
 * stays as it is. Anybody with the memory may order a log of another size, none, or a new one, while the queue runs
 * (SYSTEMS F13): the writer does so at its next entry, and readers see by the log's number that it is another one.
 *
 *   word 0  the log that there is:  number │ first region, region, whether it is gone       written by the queue
 *   word 1  the log that is wanted: number │ region, whether none is                        written by whoever orders
 *   word 2  the order that was carried out last                                             written by the queue
 *
 * Times are what a CPU has observed: WebGPU gives no time per fence.
 */
import {
  type FenceMemory,
  FIRST_LOG_REGION_BYTES,
  LOG_HEADER_BYTES,
  LOG_REGIONS,
  type LogKind,
} from '../fence-memory.js';

export const FenceOperation = {
  waitUnblocked: 1,
  signalExecuted: 2,
  waitQueued: 3,
  signalQueued: 4,
} as const;
/** By the number of the operation. The queued ones are the CPU's events, and in no log that `readLog` reads. */
const OPERATION_NAMES = ['', 'WAIT_UNBLOCKED', 'SIGNAL_EXECUTED', 'WAIT_QUEUED', 'SIGNAL_QUEUED'] as const;
export type FenceOperationName = Exclude<(typeof OPERATION_NAMES)[number], ''>;

/** In logs: a private fence, which has no number that anybody else could know. */
export const PRIVATE_FENCE = 0xffffffff;

/** Times are milliseconds since 1970 on the clock of the queue's thread, observed by its CPU; they never go back. */
export interface FenceLogEntry {
  /** Index of the fence in its group: `MonitoredFence.index`. */
  readonly fence: number;
  /** Tells it from fences that had the index before. */
  readonly generation: number;
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
  readonly generation: number;
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

/** Of a log's first three words. */
const IS_GONE = 1n << 16n;
const numberOf = (word: bigint): bigint => word >> 32n;
const regionOf = (word: bigint): number => Number(word & 0xffn);
const firstRegionOf = (word: bigint): number => Number((word >> 8n) & 0xffn);
const logWord = (number: bigint, first: number, region: number): bigint =>
  (number << 32n) | BigInt((first << 8) | region);

/**
 * Orders a log with room for so many entries; null: none.
 * @param entries at most as many as the largest region has
 */
export function orderLog(memory: FenceMemory, queue: number, kind: LogKind, entries: number | null): void {
  const { words, atomics } = memory;
  const word = memory.logOffset(queue, kind) / 8;
  let region = 0;
  while (entries !== null && logCapacity(region) < entries) region++;
  for (;;) {
    const there = atomics.load(words, word);
    const before = atomics.load(words, word + 1);
    const latest = numberOf(before) > numberOf(there) ? before : there;
    const grows = entries !== null && (latest & IS_GONE) === 0n && region >= regionOf(latest);
    const number = grows ? numberOf(latest) : numberOf(latest) + 1n;
    const order = logWord(number, region, region) | (entries === null ? IS_GONE : 0n);
    if (atomics.compareExchange(words, word + 1, before, order) === before) return;
  }
}

/** The writing end; one per log. */
export class FenceLog {
  readonly #memory: FenceMemory;
  readonly #word: number;
  /** The log that there is, as in its first word, and the order that it was made by. */
  #log: bigint;
  #order: bigint;
  #region: number;
  #first: number;
  #wraps: number;
  #lastTime = 0;

  /** Goes on where the log stands: a queue before may have had its number. */
  constructor(memory: FenceMemory, queue: number, kind: LogKind) {
    this.#memory = memory;
    this.#word = memory.logOffset(queue, kind) / 8;
    const { words, atomics } = memory;
    this.#log = atomics.load(words, this.#word);
    this.#order = atomics.load(words, this.#word + 2);
    this.#region = regionOf(this.#log);
    const header = atomics.load(words, this.#word + regionWord(this.#region));
    this.#first = Number(header & 0xffffffffn);
    this.#wraps = Number(header >> 32n);
  }

  /** After the fence's value, before anybody is told. */
  append({ fence, generation, value, operation, timeObserved, timeFinished }: LoggedOperation): void {
    const { words, atomics } = this.#memory;
    const order = atomics.load(words, this.#word + 1);
    if (order !== this.#order) this.#carryOut(order);
    if (this.#log & IS_GONE) return;
    if (this.#first === logCapacity(this.#region)) this.#goOn();
    // Clocks may be set back; the log's times may not.
    this.#lastTime = Math.max(this.#lastTime, timeFinished);
    const header = this.#word + regionWord(this.#region);
    const at = header + REGION_HEADER_WORDS + this.#first * ENTRY_WORDS;
    const about = (operation & 0xff) | (generation << 8);
    atomics.store(words, at, BigInt(fence) | (BigInt(about >>> 0) << 32n));
    atomics.store(words, at + 1, value);
    atomics.store(words, at + 2, bitsOf(Math.min(timeObserved, this.#lastTime)));
    atomics.store(words, at + 3, bitsOf(this.#lastTime));
    this.#first++;
    atomics.store(words, header, BigInt(this.#first) | (BigInt(this.#wraps) << 32n));
  }

  /** The region is full: overwrites from its start, or moves to a larger one. */
  #goOn(): void {
    if (this.#memory.isTracing && this.#region + 1 < LOG_REGIONS) {
      this.#grow(this.#region + 1);
    } else {
      this.#first = 0;
      this.#wraps++;
    }
  }

  /** What is there stays as it is; readers go on with the regions between, which are empty. */
  #grow(region: number): void {
    for (let next = this.#region + 1; next <= region; next++) this.#empty(next);
    this.#say(logWord(numberOf(this.#log), firstRegionOf(this.#log), region));
  }

  #carryOut(order: bigint): void {
    const { words, atomics } = this.#memory;
    if (numberOf(order) !== numberOf(this.#log)) {
      // Gone first: who reads meanwhile must not take what is overwritten for what it was.
      this.#say(order | IS_GONE);
      if ((order & IS_GONE) === 0n) {
        this.#empty(regionOf(order));
        this.#say(order);
      }
    } else if (regionOf(order) > this.#region) {
      this.#grow(regionOf(order));
    }
    this.#order = order;
    atomics.store(words, this.#word + 2, order);
  }

  #empty(region: number): void {
    this.#first = 0;
    this.#wraps = 0;
    this.#memory.atomics.store(this.#memory.words, this.#word + regionWord(region), 0n);
  }

  #say(log: bigint): void {
    this.#log = log;
    this.#region = regionOf(log);
    this.#memory.atomics.store(this.#memory.words, this.#word, log);
  }
}

/** A reading end; any number per log. It begins with what the log still has, or with what comes from now on. */
export class FenceLogReader {
  readonly #memory: FenceMemory;
  readonly #word: number;
  /** The log that is read, as in its first word when it was seen first. */
  #log: bigint;
  #region: number;
  /** Entries of this region that were read or lost. */
  #count: number;
  /** What was read last may not be all there was: entries were lost, or the log is gone or was made anew. */
  hasGaps = false;
  /** True once there were gaps: what is built from this log has them, too (a trace is lossy). */
  isLossy = false;

  constructor(memory: FenceMemory, queue: number, kind: LogKind, from: 'start' | 'now' = 'start') {
    this.#memory = memory;
    this.#word = memory.logOffset(queue, kind) / 8;
    this.#log = this.#there;
    this.#region = from === 'start' ? firstRegionOf(this.#log) : regionOf(this.#log);
    this.#count = from === 'start' ? 0 : this.#written;
  }

  /** Everything since the last reading. */
  read(): FenceLogReading {
    const entries: FenceLogEntry[] = [];
    let lost = 0;
    let isCut = false;
    for (;;) {
      const there = this.#there;
      if (numberOf(there) !== numberOf(this.#log)) {
        isCut = true;
        this.#log = there;
        this.#region = firstRegionOf(there);
        this.#count = 0;
      }
      if (there & IS_GONE) {
        isCut = true;
        break;
      }
      const isFinal = regionOf(there) > this.#region;
      const written = this.#written;
      const found: FenceLogEntry[] = [];
      const capacity = logCapacity(this.#region);
      const from = Math.max(this.#count, written - capacity);
      for (let entry = from; entry < written; entry++) found.push(this.#entry(entry % capacity));
      // The entry after the last may be half written, over the oldest one; in a region that was left none is.
      const overwritten = Math.max(from, this.#written - capacity + Number(!isFinal));
      if (numberOf(this.#there) !== numberOf(this.#log)) continue; // another log's entries may be among them
      lost += Math.max(0, Math.min(overwritten, written) - this.#count);
      entries.push(...found.slice(Math.max(0, overwritten - from)));
      this.#count = written;
      if (!isFinal) break;
      this.#region++;
      this.#count = 0;
    }
    this.hasGaps = isCut || lost > 0;
    if (this.hasGaps) this.isLossy = true;
    return { entries, lost };
  }

  get #there(): bigint {
    return this.#memory.atomics.load(this.#memory.words, this.#word);
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
    const about = Number(first >> 32n);
    return {
      fence: Number(first & 0xffffffffn),
      generation: about >>> 8,
      operation: OPERATION_NAMES[about & 0xff] as FenceOperationName,
      value: atomics.load(words, at + 1),
      timeObserved: doubleOf(atomics.load(words, at + 2)),
      timeFinished: doubleOf(atomics.load(words, at + 3)),
    };
  }
}
