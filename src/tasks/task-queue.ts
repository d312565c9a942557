import { Queue } from '../core/queue.js';

/** What waits for a free worker: of two priorities the higher first, within one the oldest first (SYSTEMS T12). */
export type TaskPriority = 'high' | 'normal';

export class TaskQueue<Job extends { readonly isOver: boolean }> {
  readonly #high = new Queue<Job>();
  readonly #normal = new Queue<Job>();

  push(job: Job, priority: TaskPriority): void {
    (priority === 'high' ? this.#high : this.#normal).push(job);
  }

  /** The next job that somebody still wants; it stays. */
  peek(): Job | undefined {
    for (const queue of [this.#high, this.#normal]) {
      while (queue.peek()?.isOver) queue.shift();
      if (queue.length > 0) return queue.peek();
    }
    return undefined;
  }

  /** The same, taken out. */
  take(): Job | undefined {
    const job = this.peek();
    (this.#high.peek() === job ? this.#high : this.#normal).shift();
    return job;
  }
}
