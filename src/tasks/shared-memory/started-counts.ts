/**
 * How many tasks were started by tasks in shared memory, for `stats()`: the page has no futures of them. Each thread counts in words of its
 * own, which the page adds up: `started` where a task has started another one, `succeeded` and `failed` where that one has run, `slotless`
 * as long as one waits for a slot, runs without one, or is on its way to the page, which counts it as its own from then on. Those end with
 * their thread; what lies in a slot need not.
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

  /** It has none yet. */
  beginSlotless(): void {
    Atomics.add(this.#memory.words, this.#at + Thread.slotless, 1);
  }

  /** It has a slot now, or the page has heard of it, or it has ended. */
  endSlotless(): void {
    Atomics.sub(this.#memory.words, this.#at + Thread.slotless, 1);
  }

  /** One that has run without a slot. */
  endHere(isDone: boolean): void {
    this.begin();
    this.end(isDone);
    this.endSlotless();
  }

  /** The thread has died with them. */
  loseSlotless(): void {
    const lost = Atomics.exchange(this.#memory.words, this.#at + Thread.slotless, 0);
    Atomics.add(this.#memory.words, this.#at + Thread.started, lost);
    Atomics.add(this.#memory.words, this.#at + Thread.failed, lost);
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
  // In the order in which threads write them, backwards: what moves from one to the other meanwhile is in one of them at least.
  const slotless = sumOf(Thread.slotless);
  const pending = slotless + sumOf(Thread.started) - done - failed;
  return { pending: Math.max(0, pending), done, failed };
}
