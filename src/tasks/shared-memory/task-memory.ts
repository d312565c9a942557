import { HELD_WORDS } from '../blocking/lock-holder.js';
import type { TaskMemoryShape } from '../task-messages.js';

export const DEFAULT_SHAPE: Omit<TaskMemoryShape, 'threads'> = {
  slots: 256,
  ring: 512,
  slotWords: 128,
  queues: 6,
  counters: 64,
  tickets: 32,
};

/** Operations on shared words. Tests replace them to interleave threads. */
export type TaskAtomics = Pick<
  typeof Atomics,
  'load' | 'store' | 'add' | 'or' | 'exchange' | 'compareExchange' | 'notify' | 'wait'
>;

const HEADER = 2;
const TICKET_WORDS = 2;

/** Words of the header. */
export const Header = { shutdown: 0, growing: 1 } as const;

/**
 * Words of a thread, relative to its first word. The words from `started` to `slotless` count tasks that other tasks
 * have started (`shared-counters.ts`).
 */
export const Thread = {
  bell: 0,
  asleep: 1,
  mail: 2,
  announced: 3,
  started: 4,
  succeeded: 5,
  failed: 6,
  slotless: 7,
  beat: 8,
  latest: 9,
  done: 10,
} as const;

/** Words of a slot, relative to its first word. */
export const Slot = {
  state: 0,
  queue: 1,
  module: 2,
  task: 3,
  begin: 4,
  end: 5,
  batch: 6,
  counter: 7,
  payload: 8,
} as const;

/**
 * The memory that a task system's threads share. Thread 0 is the page, and the other threads are workers. The unit of
 * all sizes is a word of four bytes.
 *
 *   | shutdown | queues whose sets may grow | counters … | thread 0 | thread 1 | …
 *                          … | slots of thread 0 | slots of thread 1 | … | tickets of queue 0 | … |
 *
 *   a thread    | bell | asleep | mail | announced | started | succeeded | failed | slotless | beat | latest slot |
 *                                                       done bits … | notes of locks … | queue 0 | … queue 5 |
 *   a queue     | head | tail | slot, state | slot, state | …          claim-ring.ts
 *   a slot      | state | queue | module | task | begin | end | batch | counter | arguments, then the result … |
 *   a ticket    | state | queue |     stands for a job of the page whose order is sent by message (`OrderTickets`)
 *
 * A slot belongs to the thread that fills it. Only that thread allocates and frees it, so no lock is needed.
 */
export class TaskMemory {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly shape: TaskMemoryShape;
  readonly #threadWords: number;
  readonly #ringWords: number;
  readonly #doneWords: number;

  constructor(shape: TaskMemoryShape, buffer?: SharedArrayBuffer) {
    this.shape = shape;
    this.#doneWords = Math.ceil(shape.slots / 32);
    this.#ringWords = 2 + 2 * shape.ring;
    this.#threadWords = Thread.done + this.#doneWords + HELD_WORDS + shape.queues * this.#ringWords;
    const words =
      HEADER +
      shape.counters +
      shape.threads * (this.#threadWords + shape.slots * shape.slotWords) +
      shape.queues * shape.tickets * TICKET_WORDS;
    this.words = new Int32Array(buffer ?? new SharedArrayBuffer(words * 4));
  }

  get doneWords(): number {
    return this.#doneWords;
  }

  counterAt(counter: number): number {
    return HEADER + counter;
  }

  threadAt(thread: number): number {
    return HEADER + this.shape.counters + thread * this.#threadWords;
  }

  /** Returns the index of the thread's lock notes (`blocking/lock-holder.ts`). */
  heldAt(thread: number): number {
    return this.threadAt(thread) + Thread.done + this.#doneWords;
  }

  ringAt(thread: number, queue: number): number {
    return this.heldAt(thread) + HELD_WORDS + queue * this.#ringWords;
  }

  /** Number of slots of all threads. */
  get slots(): number {
    return this.shape.threads * this.shape.slots;
  }

  /**
   * Returns the index of the first word of a slot or ticket. Slots of all threads are numbered in order, then tickets
   * of all queues.
   */
  slotAt(slot: number): number {
    const { slots } = this;
    const at = this.threadAt(this.shape.threads) + Math.min(slot, slots) * this.shape.slotWords;
    return at + Math.max(0, slot - slots) * TICKET_WORDS;
  }

  isTicket(slot: number): boolean {
    return slot >= this.slots;
  }

  firstTicketOf(queue: number): number {
    return this.slots + queue * this.shape.tickets;
  }

  ownerOf(slot: number): number {
    return Math.floor(slot / this.shape.slots);
  }

  firstSlotOf(thread: number): number {
    return thread * this.shape.slots;
  }

  /** Returns the words of a slot that hold the arguments, and later the result. */
  payloadOf(slot: number): Int32Array<SharedArrayBuffer> {
    const at = this.slotAt(slot);
    return this.words.subarray(at + Slot.payload, at + this.shape.slotWords);
  }
}
