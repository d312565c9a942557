/**
 * The jobs that one thread has in shared memory: of the page those of its futures, of a worker those that its tasks have
 * started. It fills their slots, and hears of their ends.
 *
 *   publish ─► slot ─ … a worker … ─► collect ─┬─ the result lies in the slot ────────────────► onEnd
 *                                              └─ or came, or will come, by message: hear ────► onEnd
 */

import type { JobEnd, OutcomeMessage } from '../task-messages.js';
import { MemoryMissing, readValue, writeValue } from './argument-codec.js';
import type { SharedMemories } from './shared-memories.js';
import { Phase, runnerOf, type SharedQueues } from './shared-queues.js';
import { Slot } from './task-memory.js';

interface SharedJob {
  readonly module: number;
  /** Its number among the names of the module. */
  readonly task: number;
  readonly begin: number;
  readonly end: number;
  /** Indices per call of a job that takes ranges from a counter; below 0: of one that gives halves of its range away; 0: one call. */
  readonly batch: number;
  readonly counter: number;
  readonly queue: number;
  readonly args: unknown;
}

/** In the word `begin` of a slot that has ended: where its result is. */
export const ResultSource = { slot: 0, message: 1 } as const;

/** Instead of a slot: all are in use; the arguments are too long, or not plain. */
export const NO_ROOM = -1;
export const BY_MESSAGE = -2;

interface Owned {
  readonly generation: number;
  /** Kept so that its memory is there as long as the job. */
  readonly args: unknown;
  readonly onEnd: (end: JobEnd) => void;
  outcome: JobEnd | null;
  phase: number;
}

/** A worker that counts as dead may write into its slot for some more microseconds. Milliseconds. */
const QUARANTINE = 1000;

export class OwnedJobs {
  readonly #queues: SharedQueues;
  readonly #memories: SharedMemories;
  readonly #jobs = new Map<number, Owned>();
  /** Slots that were lost with a worker less than `QUARANTINE` ago. Their ends may be told again, and free nothing. */
  readonly #quarantined = new Set<number>();

  constructor(queues: SharedQueues, memories: SharedMemories) {
    this.#queues = queues;
    this.#memories = memories;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** @returns its slot; `NO_ROOM`, `BY_MESSAGE`: its arguments are for a message */
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

  /** Whether somebody has begun it. */
  isRunning(slot: number): boolean {
    return (this.#queues.state(slot) & 7) === Phase.running;
  }

  /** Takes back a job that nobody has begun; its `onEnd` is not called. */
  retract(slot: number): boolean {
    if (!this.#jobs.has(slot) || !this.#queues.retract(slot)) return false;
    this.#jobs.delete(slot);
    return true;
  }

  /** It has ended, and its result is still under way as a message. */
  isHeldUp(slot: number): boolean {
    return (this.#jobs.get(slot)?.phase ?? 0) > Phase.running;
  }

  /** @returns whether any has ended */
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

  /** Memory has arrived: results that need it can be read. */
  readAgain(): void {
    for (const [slot, job] of this.#jobs) if (job.phase > Phase.running) this.#finish(slot, job);
  }

  /** All that have not ended, by slot. */
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
