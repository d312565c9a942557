/**
 * Spare jobs: tasks that a worker's tasks have started while all its slots were in use. They get slots as other jobs
 * end. Until then the worker runs them itself, when it has no other own job to run, or when a task blocks on them.
 *
 *   no slot ─► spare ─┬─ a slot is free again ───────────────────────────────► published for all workers
 *                     ├─ a task blocks on it, or there is no other own job ──► runs on the stack of that task
 *                     ├─ the worker is in its event loop ────────────────────► runs there
 *                     └─ this worker may not run it, or no task awaits it ───► a message to the page
 *
 * Spare jobs are lost if their worker dies. So jobs that no task awaits are sent to the page: fired jobs, and jobs of
 * tasks that have ended. A job that a running task awaits may stay, because the loss of the running task is reported.
 */
import type { StartedTask } from '../futures/started-task.js';
import { BY_MESSAGE } from './owned-jobs.js';

interface SpareJob {
  readonly started: StartedTask;
  /** Returns whether the job may stay: a running task may await it, and this worker serves its queue. */
  mayStay(): boolean;
  /** @returns the job's slot, `NO_ROOM` or `BY_MESSAGE` */
  publish(): number;
  send(): void;
  runHere(): void;
}

export class SpareJobs {
  readonly #onRemaining: () => void;
  #jobs: SpareJob[] = [];
  /** Jobs whose arguments don't fit into shared memory. */
  readonly #forMessages = new WeakSet<SpareJob>();
  #isScheduled = false;

  /** @param onRemaining called when the running task has returned, and the worker must run remaining jobs */
  constructor(onRemaining: () => void) {
    this.#onRemaining = onRemaining;
  }

  get size(): number {
    return this.#jobs.length;
  }

  add(job: SpareJob): void {
    this.#jobs.push(job);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Microtasks run once the running task has returned.
    queueMicrotask(() => this.#afterTask());
  }

  /** Publishes jobs, the oldest first, as long as slots are free. */
  publish(): void {
    let next = 0;
    for (let job = this.#jobs[0]; job; job = this.#jobs[next]) {
      const slot = this.#forMessages.has(job) ? BY_MESSAGE : job.publish();
      if (slot >= 0) this.#jobs.splice(next, 1);
      else if (slot !== BY_MESSAGE) return;
      else {
        this.#forMessages.add(job);
        next++;
      }
    }
  }

  /** Runs the oldest job. @param awaited restricts the choice to these tasks @returns false if there is no such job */
  runOne(awaited?: readonly StartedTask[]): boolean {
    const place = awaited ? this.#jobs.findIndex(({ started }) => awaited.includes(started)) : 0;
    const job = this.#jobs[place];
    if (!job) return false;
    this.#jobs.splice(place, 1);
    job.runHere();
    return true;
  }

  /** Sends by message the jobs that may not stay any more. Called when a task has returned or ended. */
  sendOthers(): void {
    if (this.#jobs.length === 0) return;
    this.publish();
    const leaving: SpareJob[] = [];
    this.#jobs = this.#jobs.filter((job) => {
      const stays = job.mayStay() && !this.#forMessages.has(job);
      if (!stays) leaving.push(job);
      return stays;
    });
    for (const job of leaving) job.send();
  }

  #afterTask(): void {
    this.#isScheduled = false;
    this.sendOthers();
    if (this.#jobs.length > 0) this.#onRemaining();
  }
}
