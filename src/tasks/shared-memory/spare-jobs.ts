/**
 * Tasks that a worker's tasks have started when all its slots were in use. They get slots as others end; until then the worker runs them
 * itself, when it has nothing else of its own to run, or when a task waits for them with its thread.
 *
 *   no slot ─► spare ─┬─ a slot is free again ────────────────────────────► published, for whoever is free
 *                     ├─ a task waits for it, or there is nothing else ───► run on the stack of that task
 *                     ├─ the event loop has the thread ───────────────────► run there
 *                     └─ this worker may not run it, or nobody awaits it ─► a message
 *
 * A worker that dies takes along what is spare there: so what nobody awaits, and would miss, goes to the page. Nobody awaits what was
 * fired, and what a task has started that has ended; where the task is under way, its own end by the death is told.
 */
import type { StartedTask } from '../futures/started-task.js';
import { BY_MESSAGE } from './owned-jobs.js';

interface SpareJob {
  readonly started: StartedTask;
  /** It may be awaited by a task that is under way on this worker, which serves its queue. */
  mayStay(): boolean;
  /** @returns its slot; `NO_ROOM`, `BY_MESSAGE` */
  publish(): number;
  send(): void;
  runHere(): void;
}

export class SpareJobs {
  readonly #onLeft: () => void;
  #jobs: SpareJob[] = [];
  /** Of them, those that shared memory has no words for. */
  readonly #forMessages = new WeakSet<SpareJob>();
  #isAsked = false;

  /** @param onLeft the running task has let go, and the worker has to run some */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#jobs.length;
  }

  add(job: SpareJob): void {
    this.#jobs.push(job);
    if (this.#isAsked) return;
    this.#isAsked = true;
    // Microtasks come when the running task has let go.
    queueMicrotask(() => this.#letGo());
  }

  /** Oldest first, as long as there are slots. */
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

  /** The oldest one. @param awaited of these, where they are given @returns false: there is none */
  runOne(awaited?: readonly StartedTask[]): boolean {
    const place = awaited ? this.#jobs.findIndex(({ started }) => awaited.includes(started)) : 0;
    const job = this.#jobs[place];
    if (!job) return false;
    this.#jobs.splice(place, 1);
    job.runHere();
    return true;
  }

  /** By message go those that can't stay any more: the running task has let go, or a task has ended. */
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

  #letGo(): void {
    this.#isAsked = false;
    this.sendOthers();
    if (this.#jobs.length > 0) this.#onLeft();
  }
}
