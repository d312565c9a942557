import { eventTurn } from '../core/events/event-turn.js';
import { Queue } from '../core/queue.js';
import { type Clock, systemClock } from '../sync/deadline.js';

/**
 * Priority of a job in a queue: `high` jobs run first; with equal priority, the oldest job runs first (SYSTEMS T12).
 */
export type TaskPriority = 'high' | 'normal';

export class TaskQueue<Job extends { readonly isOver: boolean }> {
  readonly #high = new Queue<Job>();
  readonly #normal = new Queue<Job>();

  push(job: Job, priority: TaskPriority): void {
    (priority === 'high' ? this.#high : this.#normal).push(job);
  }

  /** Returns the next job that is not over, without removing it. */
  peek(): Job | undefined {
    for (const queue of [this.#high, this.#normal]) {
      while (queue.peek()?.isOver) queue.shift();
      if (queue.length > 0) return queue.peek();
    }
    return undefined;
  }

  /**
   * Returns the next job and the jobs directly behind it that are like it, without removing them. Call it after `peek`.
   * @param most largest number of jobs
   */
  adjacent(most: number, isAlike: (job: Job, first: Job) => boolean): Job[] {
    const queue = this.#high.length > 0 ? this.#high : this.#normal;
    const first = queue.peek();
    const jobs: Job[] = [];
    for (let job = first; job && first && jobs.length < most; job = queue.at(jobs.length)) {
      if (job !== first && (job.isOver || !isAlike(job, first))) break;
      jobs.push(job);
    }
    return jobs;
  }

  /** Removes and returns the next job that is not over. */
  take(): Job | undefined {
    const job = this.peek();
    (this.#high.peek() === job ? this.#high : this.#normal).shift();
    return job;
  }
}

/** Longest time between turns of the event loop, in milliseconds, unless a single call takes longer. */
export const SLICE = 8;

/**
 * Runs jobs on a thread that has other work: on the page without workers (SYSTEMS T9), and on named threads. The jobs
 * run for a few milliseconds at a time, so that the thread can handle input and frames in between.
 */
export class SliceRunner {
  readonly #clock: Clock;
  readonly #hasNext: () => boolean;
  readonly #doNext: () => Promise<void>;
  #isRunning = false;

  constructor(hasNext: () => boolean, doNext: () => Promise<void>, clock: Clock = systemClock) {
    this.#hasNext = hasNext;
    this.#doNext = doNext;
    this.#clock = clock;
  }

  /** Starts running, because there may be jobs. */
  wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    await eventTurn();
    let began = this.#clock.now();
    // No wake-up is lost: the last check and the end of `#isRunning` happen in one turn of the event loop.
    while (this.#hasNext()) {
      await this.#doNext();
      if (this.#clock.now() - began < SLICE) continue;
      await eventTurn();
      began = this.#clock.now();
    }
    this.#isRunning = false;
  }
}
