import { Queue } from '../core/queue.js';

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

  /** Removes and returns the next job that is not over. */
  take(): Job | undefined {
    const job = this.peek();
    (this.#high.peek() === job ? this.#high : this.#normal).shift();
    return job;
  }
}
