/**
 * The jobs of one thread in shared memory. The page's jobs belong to its futures. A worker's jobs were started by its
 * tasks. The thread fills the slots of its jobs, and collects their results.
 *
 *   publish ─► slot ─ … a worker … ─► collect ─┬─ the slot has the result ────────────────────► onEnd
 *                                              └─ a message brings it, before or after: hear ─► onEnd
 */
import type { JobEnd, OutcomeMessage } from '../task-messages.js';
import { MemoryMissing, readValue, type SharedMemories, writeValue } from './argument-codec.js';
import { Phase, runnerOf, type SharedQueues } from './shared-queues.js';
import { Slot } from './task-memory.js';

interface SharedJob {
  readonly module: number;
  /** Index of the task among the names of its module. */
  readonly task: number;
  readonly begin: number;
  readonly end: number;
  /**
   * Above 0: indices per call of a job that takes ranges from a counter. Below 0: the negated number of indices per
   * call, of a job that gives halves of its range away. 0: the job is one call, or merged calls.
   */
  readonly batch: number;
  readonly counter: number;
  readonly queue: number;
  readonly args: unknown;
}

/** Converts the duration in the word `end` of an ended job from microseconds to milliseconds. −1 means unknown. */
const spentOf = (microseconds: number): number | undefined =>
  microseconds < 0 ? undefined : microseconds / 1000;

/** Place of the result of an ended job, stored in the word `begin` of its slot. */
export const ResultSource = { slot: 0, message: 1 } as const;

/** Returned instead of a slot if no slot or no entry of the queue is free. */
export const NO_ROOM = -1;
/** Returned instead of a slot if the arguments must be sent by message. */
export const BY_MESSAGE = -2;

interface Owned {
  readonly generation: number;
  /** Keeps the memory of the arguments alive as long as the job. */
  readonly args: unknown;
  readonly onEnd: (end: JobEnd) => void;
  outcome: JobEnd | null;
  phase: number;
}

/**
 * Time before a lost slot is used again, in milliseconds: a worker that counts as dead may still be writing into it.
 */
const QUARANTINE = 1000;

export class OwnedJobs {
  readonly #queues: SharedQueues;
  readonly #memories: SharedMemories;
  readonly #jobs = new Map<number, Owned>();
  /**
   * Slots that were lost with a worker less than `QUARANTINE` ago. Another report of the job's end does not free the
   * slot.
   */
  readonly #quarantined = new Set<number>();

  constructor(queues: SharedQueues, memories: SharedMemories) {
    this.#queues = queues;
    this.#memories = memories;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Publishes a job. @returns its slot, `NO_ROOM` or `BY_MESSAGE` */
  publish(job: SharedJob, onEnd: (end: JobEnd) => void): number {
    const { memory } = this.#queues;
    const slot = this.#queues.allocate();
    if (slot < 0) return NO_ROOM;
    const at = memory.slotAt(slot);
    const { words } = memory;
    words[at + Slot.module] = job.module;
    words[at + Slot.task] = job.task;
    words[at + Slot.begin] = job.begin;
    words[at + Slot.end] = job.end;
    words[at + Slot.batch] = job.batch;
    words[at + Slot.counter] = job.counter;
    const isWritten = writeValue(job.args, memory.payloadOf(slot), this.#memories);
    if (!isWritten || !this.#queues.publish(slot, job.queue)) {
      this.#queues.free(slot);
      return isWritten ? NO_ROOM : BY_MESSAGE;
    }
    const generation = this.#generationOf(slot);
    this.#jobs.set(slot, { generation, args: job.args, onEnd, outcome: null, phase: Phase.queued });
    return slot;
  }

  /** Returns whether a worker runs the job. */
  isRunning(slot: number): boolean {
    return (this.#queues.state(slot) & 7) === Phase.running;
  }

  /** Takes back a job that no worker has begun. Its `onEnd` is not called. @returns false if a worker has begun it */
  retract(slot: number): boolean {
    if (!this.#jobs.has(slot) || !this.#queues.retract(slot)) return false;
    this.#jobs.delete(slot);
    return true;
  }

  /** Returns whether the job has ended, but its result, or memory that it names, is still in flight. */
  isHeldUp(slot: number): boolean {
    return (this.#jobs.get(slot)?.phase ?? 0) > Phase.running;
  }

  /** Collects jobs that have ended. @returns whether any job has ended */
  collect(): boolean {
    let hasEnded = false;
    this.#queues.collect((slot, phase) => {
      hasEnded = true;
      const job = this.#jobs.get(slot);
      if (!job) {
        if (!this.#quarantined.has(slot)) this.#queues.free(slot);
        return;
      }
      job.phase = phase;
      this.#finish(slot, job);
    });
    return hasEnded;
  }

  hear({ slot, generation, end }: OutcomeMessage): void {
    const job = this.#jobs.get(slot);
    if (job?.generation !== generation) return;
    job.outcome = end;
    this.#finish(slot, job);
  }

  /** Reads results whose memory had not arrived before. Called when memory has arrived. */
  readAgain(): void {
    for (const [slot, job] of this.#jobs) if (job.phase > Phase.running) this.#finish(slot, job);
  }

  /** Returns the slots of all jobs whose end has not been reported to `onEnd`. */
  keys(): Iterable<number> {
    return this.#jobs.keys();
  }

  #finish(slot: number, job: Owned): void {
    if (job.phase <= Phase.running) return;
    let end = job.outcome;
    if (job.phase === Phase.lost) end = { kind: 'lost', thread: runnerOf(this.#queues.state(slot)) };
    else if (!end) {
      const { memory } = this.#queues;
      if (memory.words[memory.slotAt(slot) + Slot.begin] === ResultSource.message) return;
      try {
        end = {
          kind: 'done',
          value: readValue(memory.payloadOf(slot), (number) => this.#memories.find(number)),
          milliseconds: spentOf(memory.words[memory.slotAt(slot) + Slot.end] as number),
        };
      } catch (error) {
        if (error instanceof MemoryMissing) return;
        throw error;
      }
    }
    this.#jobs.delete(slot);
    if (end.kind === 'lost') this.#quarantine(slot);
    else this.#queues.free(slot);
    job.onEnd(end);
  }

  #quarantine(slot: number): void {
    this.#quarantined.add(slot);
    setTimeout(() => {
      this.#quarantined.delete(slot);
      this.#queues.free(slot);
    }, QUARANTINE);
  }

  #generationOf(slot: number): number {
    return this.#queues.state(slot) >> 10;
  }
}

/**
 * Tickets of the page's jobs that do not fit into shared memory. A ticket takes the job's position in the queue, among
 * the jobs in slots. The worker that claims a ticket waits in its event loop for the job's order, which the page sends
 * by message.
 *
 *   page     offer ─► ticket in a queue            take ═ the order, then "fetched" ═►
 *   worker                    claim ─ "fetch" ═►                                        runs it, and claims again
 *
 * Without tickets the order could be sent to a worker that blocks, on a lock or for tasks that it has started. The
 * order would not arrive before the end of that wait, which may depend on this very order.
 */
export class OrderTickets<Job> {
  readonly #queues: SharedQueues;
  /** Free tickets, by queue. */
  readonly #free: readonly number[][];
  readonly #jobs = new Map<number, Job>();

  constructor(queues: SharedQueues) {
    const { memory } = queues;
    const { shape } = memory;
    this.#queues = queues;
    this.#free = Array.from({ length: shape.queues }, (_, queue) =>
      Array.from({ length: shape.tickets }, (_, place) => memory.firstTicketOf(queue) + place),
    );
  }

  /** Jobs whose orders no worker has fetched. */
  get jobs(): Iterable<Job> {
    return this.#jobs.values();
  }

  get size(): number {
    return this.#jobs.size;
  }

  /**
   * Queues a ticket for a job.
   * @returns the ticket; `later` if another ticket must be claimed first; `refused` if the queue is full of stale
   * entries
   */
  offer(job: Job, queue: number): number | 'later' | 'refused' {
    const free = this.#freeOf(queue);
    const ticket = free.pop();
    if (ticket === undefined) return 'later';
    if (!this.#queues.publish(ticket, queue)) {
      free.push(ticket);
      return free.length < this.#queues.memory.shape.tickets ? 'later' : 'refused';
    }
    this.#jobs.set(ticket, job);
    this.#queues.wakeOne(queue);
    return ticket;
  }

  /** Takes the job of a ticket that a worker has claimed. @returns undefined if the job was withdrawn */
  take(ticket: number): Job | undefined {
    const job = this.#jobs.get(ticket);
    this.#queues.clearTicket(ticket);
    this.#giveBack(ticket);
    return job;
  }

  /** Withdraws a job that need not run any more. @returns false if a worker has claimed its ticket */
  withdraw(ticket: number, job: Job): boolean {
    if (this.#jobs.get(ticket) !== job || !this.#queues.withdraw(ticket)) return false;
    this.#giveBack(ticket);
    return true;
  }

  /** Takes back all jobs whose tickets no worker has claimed, to run them in another way. */
  takeBack(): Job[] {
    const taken = [...this.#jobs];
    return taken.filter(([ticket, job]) => this.withdraw(ticket, job)).map(([, job]) => job);
  }

  #giveBack(ticket: number): void {
    this.#jobs.delete(ticket);
    const { slots, shape } = this.#queues.memory;
    this.#freeOf(Math.floor((ticket - slots) / shape.tickets)).push(ticket);
  }

  #freeOf(queue: number): number[] {
    return this.#free[queue] as number[];
  }
}
