/**
 * Jobs of the page that find no place in shared memory: their orders go by message, to a worker that is in its event loop and waits for
 * just that. So a ticket stands in the queue for each, in its turn among the jobs that lie in slots.
 *
 *   page     offer ─► ticket in a queue            take ═ the order, then "fetched" ═►
 *   worker                    claim ─ "fetch" ═►                                        runs it, and claims again
 *
 * A message that is sent to a worker which holds its thread, for a lock or for what it has started, would lie there until that is over,
 * and what it waits for may be in the message.
 */
import type { SharedQueues } from './shared-queues.js';

export class OrderTickets<Job> {
  readonly #queues: SharedQueues;
  /** By queue. */
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

  /** Jobs whose orders nobody has fetched. */
  get jobs(): Iterable<Job> {
    return this.#jobs.values();
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** @returns its ticket; `later`: another one has to be claimed first; `refused`: the queue is full of entries that claim nothing */
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

  /** A worker has claimed it. @returns undefined: it stands for nothing any more */
  take(ticket: number): Job | undefined {
    const job = this.#jobs.get(ticket);
    this.#queues.clearTicket(ticket);
    this.#giveBack(ticket);
    return job;
  }

  /** Nobody wants the job any more. @returns false: a worker has claimed it */
  withdraw(ticket: number, job: Job): boolean {
    if (this.#jobs.get(ticket) !== job || !this.#queues.withdraw(ticket)) return false;
    this.#giveBack(ticket);
    return true;
  }

  /** All that nobody has claimed, for another way of running them. */
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
