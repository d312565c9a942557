/**
 * The memory of shared fences: one fixed block per group. Threads share it where the page is cross-origin isolated.
 * Otherwise each thread has a replica. This file defines offsets and sizes, in bytes.
 *
 *   | header | mailbox per thread | names        | cell per fence            | logs per queue: see LogKind |
 *   |  256   | 64 and more each   | 64 each      | 1024 each, one fence each | 4096 + 8192 + … + 65536 each |
 *     members      bell, names      queues, fences   current, monitored values   entries, see fence-log.ts
 *
 * A shared fence has a cell to itself, so that no two fences share a cache line (SYSTEMS F7). Private fences have
 * cells too, packed tightly in memory of their own thread.
 */

import type { FenceAtomics } from './fence-environment.js';

/** Largest number of threads of one group. */
export const MAXIMUM_THREADS = 16;
/** Largest number of queues of one group. */
export const MAXIMUM_QUEUES = 8;
/**
 * Slots of a fence. Each thread and each queue has a slot in every fence: its monitored value. Threads come first.
 */
export const SLOTS = MAXIMUM_THREADS + MAXIMUM_QUEUES;

export const CELL_BYTES = 1024;
/**
 * Number of regions of one log. Each region is twice as large as the previous region. While tracing, a full log moves
 * on to the next region.
 */
export const LOG_REGIONS = 5;
export const FIRST_LOG_REGION_BYTES = 4096;
export const LOG_HEADER_BYTES = 64;
const LOG_BYTES = LOG_HEADER_BYTES + FIRST_LOG_REGION_BYTES * (2 ** LOG_REGIONS - 1);

/**
 * The logs of a queue (SYSTEMS F9): finished waits, executed signals and, while tracing, the waits and signals that
 * the CPU has requested.
 */
export const LogKind = { waits: 0, signals: 1, requests: 2 } as const;
export type LogKind = (typeof LogKind)[keyof typeof LogKind];
const LOGS_PER_QUEUE = 3;

/**
 * Size of a name: a byte with the length, and up to 63 bytes of text. Readers of logs need the names of fences that
 * other threads have created.
 */
const NAME_BYTES = 64;

const HEADER_BYTES = 256;
/** Indices of the header's words, of 32 bits each. */
const HEADER = {
  capacity: 0,
  queueCount: 1,
  threads: 2,
  queues: 3,
  isTracing: 4,
  namesQueues: 5,
  queueThreads: 8,
  /**
   * One word per thread number. `generations` counts how often the number was released. `joined` holds that count
   * plus 1 once a thread has joined with the number of its invitation.
   */
  generations: 16,
  joined: 32,
  /** One word per queue. It counts the begins and ends of batches of signals, so it is odd during a batch. */
  batches: 48,
};

interface FenceMemoryOptions {
  /** Largest number of shared fences at a time. */
  readonly capacity: number;
  /** Number of queues with logs. */
  readonly queues: number;
}

export class FenceMemory {
  readonly buffer: ArrayBufferLike;
  readonly ints: Int32Array;
  readonly words: BigUint64Array;
  readonly atomics: FenceAtomics;
  readonly capacity: number;
  readonly queueCount: number;
  readonly #bytes: Uint8Array;
  readonly #names: number;
  readonly #cells: number;
  readonly #logs: number;

  /** @param buffer memory that `createFenceBuffer` has created, on this thread or another */
  constructor(buffer: ArrayBufferLike, atomics: FenceAtomics = Atomics) {
    this.buffer = buffer;
    this.ints = new Int32Array(buffer);
    this.words = new BigUint64Array(buffer);
    this.#bytes = new Uint8Array(buffer);
    this.atomics = atomics;
    // Plain reads are enough: both values were written before any other thread had the buffer.
    this.capacity = this.ints[HEADER.capacity];
    this.queueCount = this.ints[HEADER.queueCount];
    this.#names = namesOffset(this.capacity);
    this.#cells = cellsOffset(this.capacity);
    this.#logs = this.#cells + this.capacity * CELL_BYTES;
  }

  /** True when other threads share this memory. */
  get isShared(): boolean {
    return typeof SharedArrayBuffer !== 'undefined' && this.buffer instanceof SharedArrayBuffer;
  }

  cellOffset(fence: number): number {
    return this.#cells + fence * CELL_BYTES;
  }

  mailboxOffset(thread: number): number {
    return HEADER_BYTES + thread * mailboxBytes(this.capacity);
  }

  logOffset(queue: number, kind: LogKind): number {
    return this.#logs + (queue * LOGS_PER_QUEUE + kind) * LOG_BYTES;
  }

  /** Returns the queue's name, cut to 63 bytes; '' before the queue was opened. */
  queueName(queue: number): string {
    return this.#readName(queue);
  }

  nameQueue(queue: number, name: string): void {
    this.#writeName(queue, name);
  }

  fenceName(fence: number): string {
    return this.#readName(MAXIMUM_QUEUES + fence);
  }

  nameFence(fence: number, name: string): void {
    this.#writeName(MAXIMUM_QUEUES + fence, name);
  }

  /** Takes a free thread number. @returns -1 when there is none */
  claimThread(): number {
    return this.#claim(HEADER.threads, MAXIMUM_THREADS);
  }

  releaseThread(thread: number): void {
    this.atomics.add(this.ints, HEADER.generations + thread, 1);
    this.atomics.and(this.ints, HEADER.threads, ~(1 << thread));
  }

  /**
   * Returns the generation of a thread number. It distinguishes the current thread with this number from earlier
   * threads.
   */
  generationOf(thread: number): number {
    return this.atomics.load(this.ints, HEADER.generations + thread);
  }

  /**
   * Takes the number that an invitation has claimed.
   * @returns false when another thread has taken it, or the number was released
   */
  join(thread: number, generation: number): boolean {
    if (this.generationOf(thread) !== generation) return false;
    return this.atomics.exchange(this.ints, HEADER.joined + thread, generation + 1) !== generation + 1;
  }

  /** Returns the queues that a thread has claimed. */
  queuesOf(thread: number): number[] {
    const taken = this.atomics.load(this.ints, HEADER.queues);
    return Array.from({ length: this.queueCount }, (_, queue) => queue).filter(
      (queue) => taken & (1 << queue) && this.threadOfSlot(MAXIMUM_THREADS + queue) === thread,
    );
  }

  /** Takes a free queue number for a thread. @returns -1 when there is none */
  claimQueue(thread: number): number {
    const queue = this.#claim(HEADER.queues, this.queueCount);
    if (queue >= 0) this.atomics.store(this.ints, HEADER.queueThreads + queue, thread);
    return queue;
  }

  /** Releases the number of a queue. Its thread may have died during a batch. */
  releaseQueue(queue: number): void {
    if (this.atomics.load(this.ints, this.batchWord(queue)) & 1) this.endBatch(queue);
    this.atomics.and(this.ints, HEADER.queues, ~(1 << queue));
  }

  /** Begins a batch of a queue's signals. The values are raised first, then logged, then the batch ends. */
  beginBatch(queue: number): void {
    this.atomics.add(this.ints, this.batchWord(queue), 1);
  }

  endBatch(queue: number): void {
    this.atomics.add(this.ints, this.batchWord(queue), 1);
    this.atomics.notify(this.ints, this.batchWord(queue));
  }

  /** Returns the index of the word in `ints` that is odd during a batch, and that is notified at its end. */
  batchWord(queue: number): number {
    return HEADER.batches + queue;
  }

  /** Returns the thread that is notified for a slot. */
  threadOfSlot(slot: number): number {
    if (slot < MAXIMUM_THREADS) return slot;
    return this.atomics.load(this.ints, HEADER.queueThreads + slot - MAXIMUM_THREADS);
  }

  /** Whether full logs grow up to their largest region, instead of overwriting old entries. */
  get isTracing(): boolean {
    return this.atomics.load(this.ints, HEADER.isTracing) !== 0;
  }

  set isTracing(isTracing: boolean) {
    this.atomics.store(this.ints, HEADER.isTracing, Number(isTracing));
  }

  /** Whether a queue's notification names the queue rather than the fences (SYSTEMS F11). */
  get namesQueues(): boolean {
    return this.ints[HEADER.namesQueues] !== 0;
  }

  set namesQueues(namesQueues: boolean) {
    this.ints[HEADER.namesQueues] = Number(namesQueues);
  }

  #writeName(place: number, name: string): void {
    // `encodeInto` refuses shared memory, so encode into a copy. `encodeInto` never cuts a character in two.
    const text = new Uint8Array(NAME_BYTES - 1);
    const { written } = new TextEncoder().encodeInto(name, text);
    const at = this.#names + place * NAME_BYTES;
    this.#bytes.set(text, at + 1);
    this.#bytes[at] = written;
  }

  #readName(place: number): string {
    const at = this.#names + place * NAME_BYTES;
    return new TextDecoder().decode(this.#bytes.slice(at + 1, at + 1 + this.#bytes[at]));
  }

  #claim(word: number, count: number): number {
    for (;;) {
      const taken = this.atomics.load(this.ints, word);
      let free = 0;
      while (free < count && taken & (1 << free)) free++;
      if (free === count) return -1;
      if (this.atomics.compareExchange(this.ints, word, taken, taken | (1 << free)) === taken) return free;
    }
  }
}

/** Allocates the memory of a group of fences. Pages that are never written cost only address space. */
export function createFenceBuffer(
  { capacity, queues }: FenceMemoryOptions,
  isShared: boolean,
): ArrayBufferLike {
  const byteLength = cellsOffset(capacity) + capacity * CELL_BYTES + queues * LOGS_PER_QUEUE * LOG_BYTES;
  const buffer = isShared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength);
  const ints = new Int32Array(buffer, 0, 8);
  ints[HEADER.capacity] = capacity;
  ints[HEADER.queueCount] = queues;
  return buffer;
}

/** Returns the size of a mailbox: the bell, a word of queue bits and a bit per fence, in whole cache lines. */
function mailboxBytes(capacity: number): number {
  return Math.ceil((8 + capacity / 8) / 64) * 64;
}

/** Returns the offset of the names. Names of queues come first, then names of fences. */
function namesOffset(capacity: number): number {
  return HEADER_BYTES + MAXIMUM_THREADS * mailboxBytes(capacity);
}

function cellsOffset(capacity: number): number {
  const end = namesOffset(capacity) + (MAXIMUM_QUEUES + capacity) * NAME_BYTES;
  return Math.ceil(end / CELL_BYTES) * CELL_BYTES;
}
