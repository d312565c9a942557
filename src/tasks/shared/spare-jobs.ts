/**
 * Tasks that a worker's tasks have started when all its slots were in use. A task that waits for them with its thread gets slots for
 * them as others end, or runs them itself; otherwise they go to the page by message as soon as the running task lets go.
 *
 *   no slot ─► spare ─┬─ the task waits: a slot is free again ─► published
 *                     ├─ the task waits: nothing else to run ──► run on its stack
 *                     └─ the task has returned, or awaits ─────► a slot, or a message
 */
import type { StartedTask } from '../started-task.js';

export interface SpareJob {
  readonly started: StartedTask;
  /** @returns below 0: there is still no slot */
  publish(): number;
  send(): void;
  runHere(): void;
}

export class SpareJobs {
  #jobs: SpareJob[] = [];

  add(job: SpareJob): void {
    // Microtasks come when the running task has let go.
    if (this.#jobs.length === 0) queueMicrotask(() => this.#letGo());
    this.#jobs.push(job);
  }

  /** Oldest first, as long as there are slots. */
  publish(): void {
    while (this.#jobs[0] && this.#jobs[0].publish() >= 0) this.#jobs.shift();
  }

  /** The oldest one. @param awaited of these, where they are given @returns false: there is none */
  runOne(awaited?: readonly StartedTask[]): boolean {
    const place = awaited ? this.#jobs.findIndex(({ started }) => awaited.includes(started)) : 0;
    const job = this.#jobs[place];
    if (!job) return false;
    this.#jobs.splice(place, 1);
    job.runHere();
    return true;
  }

  #letGo(): void {
    this.publish();
    const left = this.#jobs;
    this.#jobs = [];
    for (const job of left) job.send();
  }
}
