/**
 * Logs of a queue's fence operations, in order (SYSTEMS F9). Each queue has two: one of finished waits, one of executed
 * signals. While tracing, a third log of the same form holds the CPU's requests. One thread writes, and any thread may
 * read. The writer never waits, so it overwrites unread entries. The reader counts the entries that it has lost.
 *
 *   | words 0–2   | header | entry 0 | entry 1 | … | entry 124 | 125 | header | entry 0 … 253 | …
 *                   first free index and count of wraps: one word of 64 bits, so that they agree
 *
 *   writer   value of the fence ── entry ── header ── (barrier) ── notification
 *   reader   header ── (barrier) ── entries ── header again: entries overwritten meanwhile are dropped
 *
 * While tracing, a full log moves on to a region twice as large instead of wrapping, and the old region stays as it is.
 * While the queue runs, any thread with the memory may order that a log is resized or destroyed (SYSTEMS F13). The
 * writer carries the order out before its next entry. Readers notice a new log by its number.
 *
 *   word 0  the present log:  number │ first region, region, whether it is destroyed    written by the queue
 *   word 1  the ordered log:  number │ region, whether it is destroyed                  written by any thread
 *   word 2  the order that was carried out last                                         written by the queue
 *
 * A CPU observes all times: WebGPU gives no time per fence.
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
/**
 * Names by the operation's number. The last two operations are requests of the CPU, which the logs of `readLog` don't
 * contain.
 */
const OPERATION_NAMES = ['', 'WAIT_UNBLOCKED', 'SIGNAL_EXECUTED', 'WAIT_QUEUED', 'SIGNAL_QUEUED'] as const;
export type FenceOperationName = Exclude<(typeof OPERATION_NAMES)[number], ''>;

/** Index of all private fences in logs, because they have no number in the group. */
export const PRIVATE_FENCE = 0xffffffff;

/**
 * An entry of a fence queue's log. Times are in milliseconds since 1970, observed by the CPU on the clock of the
 * queue's thread. `timeFinished` never goes back.
 */
export interface FenceLogEntry {
  /** Index of the fence in its group (`MonitoredFence.index`); 2^32 − 1 for a private fence. */
  readonly fence: number;
  /** Distinguishes the fence from earlier fences with the same index. */
  readonly generation: number;
  readonly value: bigint;
  readonly operation: FenceOperationName;
  /** Time at which the queue reached the wait; 0 for signals. */
  readonly timeObserved: number;
  readonly timeFinished: number;
}

export interface FenceLogReading {
  readonly entries: readonly FenceLogEntry[];
  /** Number of entries that were overwritten before they were read. */
  readonly lost: number;
}

/** An operation of a queue, to be appended to a log. */
export interface LoggedOperation {
  /** Index of the fence in its group, or `PRIVATE_FENCE`. */
  readonly fence: number;
  readonly generation: number;
  readonly value: bigint;
  /** A number of `FenceOperation`. */
  readonly operation: number;
  readonly timeObserved: number;
  readonly timeFinished: number;
}

const ENTRY_WORDS = 4;
const REGION_HEADER_WORDS = 8;
const FIRST_REGION_WORDS = FIRST_LOG_REGION_BYTES / 8;

/** Returns how many entries a region holds, by the region's number. */
export const logCapacity = (region: number): number =>
  (FIRST_REGION_WORDS * 2 ** region - REGION_HEADER_WORDS) / ENTRY_WORDS;

/** Returns the offset of a region from the start of the log, in 64-bit words. */
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

/** Flag in a log's first three words: the log is destroyed. */
const IS_DESTROYED = 1n << 16n;
const numberOf = (word: bigint): bigint => word >> 32n;
const regionOf = (word: bigint): number => Number(word & 0xffn);
const firstRegionOf = (word: bigint): number => Number((word >> 8n) & 0xffn);
const logWord = (number: bigint, first: number, region: number): bigint =>
  (number << 32n) | BigInt((first << 8) | region);

/**
 * Orders a log of another size. The queue carries the order out before its next entry.
 * @param entries least number of entries, at most what the largest region holds; `null` destroys the log
 */
export function orderLog(memory: FenceMemory, queue: number, kind: LogKind, entries: number | null): void {
  const { words, atomics } = memory;
  const word = memory.logOffset(queue, kind) / 8;
  let region = 0;
  while (entries !== null && logCapacity(region) < entries) region++;
  for (;;) {
    const present = atomics.load(words, word);
    const before = atomics.load(words, word + 1);
    const latest = numberOf(before) > numberOf(present) ? before : present;
    const grows = entries !== null && (latest & IS_DESTROYED) === 0n && region >= regionOf(latest);
    const number = grows ? numberOf(latest) : numberOf(latest) + 1n;
    const order = logWord(number, region, region) | (entries === null ? IS_DESTROYED : 0n);
    if (atomics.compareExchange(words, word + 1, before, order) === before) return;
  }
}

/** The writing end of a log. Each log has only one. */
export class FenceLog {
  readonly #memory: FenceMemory;
  readonly #word: number;
  /** The present log, as in its first word. */
  #log: bigint;
  /** The order that was carried out last. */
  #order: bigint;
  #region: number;
  #first: number;
  #wraps: number;
  #lastTime = 0;

  /** Continues the existing log: an earlier queue may have had the same number. */
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

  /** Appends an entry. Call it after raising the fence's value, and before sending notifications. */
  append({ fence, generation, value, operation, timeObserved, timeFinished }: LoggedOperation): void {
    const { words, atomics } = this.#memory;
    const order = atomics.load(words, this.#word + 1);
    if (order !== this.#order) this.#carryOut(order);
    if (this.#log & IS_DESTROYED) return;
    if (this.#first === logCapacity(this.#region)) this.#continue();
    // Clocks may be set back, but the log's times may not.
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

  /** Makes room in a full region: moves on to a larger region, or overwrites the region from its start. */
  #continue(): void {
    if (this.#memory.isTracing && this.#region + 1 < LOG_REGIONS) {
      this.#grow(this.#region + 1);
    } else {
      this.#first = 0;
      this.#wraps++;
    }
  }

  /**
   * Moves on to a larger region. Existing entries stay. Readers pass through the regions in between, which are empty.
   */
  #grow(region: number): void {
    for (let next = this.#region + 1; next <= region; next++) this.#empty(next);
    this.#publish(logWord(numberOf(this.#log), firstRegionOf(this.#log), region));
  }

  #carryOut(order: bigint): void {
    const { words, atomics } = this.#memory;
    if (numberOf(order) !== numberOf(this.#log)) {
      // Destroy the log first: a reader must not take the new entries for entries of the old log.
      this.#publish(order | IS_DESTROYED);
      if ((order & IS_DESTROYED) === 0n) {
        this.#empty(regionOf(order));
        this.#publish(order);
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

  #publish(log: bigint): void {
    this.#log = log;
    this.#region = regionOf(log);
    this.#memory.atomics.store(this.#memory.words, this.#word, log);
  }
}

/**
 * A reader of a fence queue's log. A log can have any number of readers. A reader starts with the oldest entry that the
 * log still holds (`start`), or with the next entry that is written (`now`).
 */
export class FenceLogReader {
  readonly #memory: FenceMemory;
  readonly #word: number;
  /** The log that is read, as in its first word when this reader first saw it. */
  #log: bigint;
  #region: number;
  /** Number of this region's entries that were read or lost. */
  #count: number;
  /** True if the last reading may be incomplete: entries were lost, or the log was destroyed or replaced. */
  hasGaps = false;
  /** True once any reading had gaps: a trace built from this log is lossy. */
  isLossy = false;

  constructor(memory: FenceMemory, queue: number, kind: LogKind, from: 'start' | 'now' = 'start') {
    this.#memory = memory;
    this.#word = memory.logOffset(queue, kind) / 8;
    this.#log = this.#present;
    this.#region = from === 'start' ? firstRegionOf(this.#log) : regionOf(this.#log);
    this.#count = from === 'start' ? 0 : this.#written;
  }

  /** Returns all entries since the last call. */
  read(): FenceLogReading {
    const entries: FenceLogEntry[] = [];
    let lost = 0;
    let isCut = false;
    for (;;) {
      const present = this.#present;
      if (numberOf(present) !== numberOf(this.#log)) {
        isCut = true;
        this.#log = present;
        this.#region = firstRegionOf(present);
        this.#count = 0;
      }
      if (present & IS_DESTROYED) {
        isCut = true;
        break;
      }
      const isFinal = regionOf(present) > this.#region;
      const written = this.#written;
      const found: FenceLogEntry[] = [];
      const capacity = logCapacity(this.#region);
      const from = Math.max(this.#count, written - capacity);
      for (let entry = from; entry < written; entry++) found.push(this.#entry(entry % capacity));
      // The writer may be overwriting the oldest entry with its next entry, except in a region that it has left.
      const overwritten = Math.max(from, this.#written - capacity + Number(!isFinal));
      if (numberOf(this.#present) !== numberOf(this.#log)) continue; // entries of a new log may be among them
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

  /** The log's first word, as it is now. */
  get #present(): bigint {
    return this.#memory.atomics.load(this.#memory.words, this.#word);
  }

  /** Number of entries ever written to this region: wraps × capacity + first free index. */
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
