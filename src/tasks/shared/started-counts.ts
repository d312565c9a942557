/**
 * How many tasks were started by tasks in shared memory, for `stats()`: the page has no futures of them. Each thread counts in words of its
 * own, which the page adds up: `started` where a task has started another one, `succeeded` and `failed` where that one has run.
 */
import { Slot, type TaskMemory, Thread } from './task-memory.js';

export interface StartedTally {
  /** Started, and not ended yet. */
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
}

/** What one thread counts. */
export class StartedCounts {
  readonly #memory: TaskMemory;
  readonly #at: number;

  constructor(memory: TaskMemory, thread: number) {
    this.#memory = memory;
    this.#at = memory.threadAt(thread);
  }

  /** A task of this thread has started one. */
  begin(): void {
    Atomics.add(this.#memory.words, this.#at + Thread.started, 1);
  }

  /** One has ended here, or with a thread that has died. */
  end(isDone: boolean): void {
    Atomics.add(this.#memory.words, this.#at + (isDone ? Thread.succeeded : Thread.failed), 1);
  }

  /** A job ends here, which need not be a task that another one has started. Its slot is not given back yet. */
  endJob(slot: number, isDone: boolean): void {
    if (isStarted(this.#memory, slot)) this.end(isDone);
  }
}

/** Neither a job of the page's nor a part of a loop, which tasks give away as well. */
export function isStarted(memory: TaskMemory, slot: number): boolean {
  return memory.ownerOf(slot) !== 0 && memory.words[memory.slotAt(slot) + Slot.batch] === 0;
}

export function tallyStarted(memory: TaskMemory): StartedTally {
  const sumOf = (word: number): number => {
    let sum = 0;
    for (let thread = 0; thread < memory.shape.threads; thread++)
      sum += Atomics.load(memory.words, memory.threadAt(thread) + word);
    return sum;
  };
  const done = sumOf(Thread.succeeded);
  const failed = sumOf(Thread.failed);
  return { pending: Math.max(0, sumOf(Thread.started) - done - failed), done, failed };
}
