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
import type { SharedQueues } from './shared-queues.js';

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
