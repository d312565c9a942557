/**
 * Counts of tasks that tasks have started in shared memory, for `stats()`. The page has no futures of these tasks, so
 * each thread counts in words of its own, and the page adds them up. `started` counts on the thread of the starting
 * task, `succeeded` and `failed` on the thread that has run the started task. `slotless` counts tasks that wait for a
 * slot, run without a slot, or are in flight to the page. Once a task has reached the page, the page counts it as its
 * own. Slotless tasks are lost when their thread dies.
 */

import type { TaskFuture } from '../futures/task-future.js';
import type { JobRanges } from '../job.js';
import { Phase, phaseOf, runnerOf, type SharedQueues } from './shared-queues.js';
import { Slot, type TaskMemory, Thread } from './task-memory.js';

export interface StartedTally {
  /** Tasks that were started and have not ended. */
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
}

/** The counts of one thread. */
export class StartedCounts {
  readonly #memory: TaskMemory;
  readonly #at: number;

  constructor(memory: TaskMemory, thread: number) {
    this.#memory = memory;
    this.#at = memory.threadAt(thread);
  }

  /** Counts a task that a task of this thread has started. */
  begin(): void {
    Atomics.add(this.#memory.words, this.#at + Thread.started, 1);
  }

  /** Counts a started task that has no slot yet. */
  beginSlotless(): void {
    Atomics.add(this.#memory.words, this.#at + Thread.slotless, 1);
  }

  /** Subtracts a slotless task that has got a slot, has reached the page, or has ended. */
  endSlotless(): void {
    Atomics.sub(this.#memory.words, this.#at + Thread.slotless, 1);
  }

  /** Counts the end of a task that has run without a slot. */
  endHere(isDone: boolean): void {
    this.begin();
    this.end(isDone);
    this.endSlotless();
  }

  /** Counts all slotless tasks as failed, because the thread has died. */
  loseSlotless(): void {
    const lost = Atomics.exchange(this.#memory.words, this.#at + Thread.slotless, 0);
    Atomics.add(this.#memory.words, this.#at + Thread.started, lost);
    Atomics.add(this.#memory.words, this.#at + Thread.failed, lost);
  }

  /** Counts the end of a started task, which this thread has run or a dead thread has lost. */
  end(isDone: boolean): void {
    Atomics.add(this.#memory.words, this.#at + (isDone ? Thread.succeeded : Thread.failed), 1);
  }

  /** Counts the end of a job, if it is a started task. Its slot must not be freed yet. */
  endJob(slot: number, isDone: boolean): void {
    if (isStarted(this.#memory, slot)) this.end(isDone);
  }
}

/** Counts tasks that other tasks had started, and that the dead worker was running, as failed. */
export function countLost(queues: SharedQueues, threadNumber: number): void {
  const { memory } = queues;
  new StartedCounts(memory, threadNumber).loseSlotless();
  const counts = new StartedCounts(memory, 0);
  for (let slot = memory.firstSlotOf(1); slot < memory.firstSlotOf(memory.shape.threads); slot++) {
    const state = queues.state(slot);
    const isLost = phaseOf(state) === Phase.running && runnerOf(state) === threadNumber;
    if (isLost && isStarted(memory, slot)) counts.end(false);
  }
}

/** Returns whether the job is a started task: neither a job of the page, nor a part of a loop. */
function isStarted(memory: TaskMemory, slot: number): boolean {
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
  // Read the words in the reverse order of writing: a task that moves between counts meanwhile is in at least one of
  // them.
  const slotless = sumOf(Thread.slotless);
  const pending = slotless + sumOf(Thread.started) - done - failed;
  return { pending: Math.max(0, pending), done, failed };
}

/** Counter value at which no range of any loop begins: jobs that still take ranges find none. */
const OVER = 2 ** 30;

/**
 * Counters of running `parallelFor`s, in the memory that all threads share. If none is free, a
 * `parallelFor` gets a counter in memory of its own.
 *
 *   take ─► its jobs take ranges from it ─► the future has settled, and no job uses it any more ─► free
 */
export class RangeCounters {
  readonly #memory: TaskMemory;
  readonly #isUsed: (number: number) => boolean;
  readonly #free: number[] = [];
  /** Counters whose futures have settled, but which jobs still use. */
  readonly #settled = new Set<number>();

  /** @param isUsed returns whether a job that has not ended takes ranges from the counter */
  constructor(memory: TaskMemory, isUsed: (number: number) => boolean) {
    this.#memory = memory;
    this.#isUsed = isUsed;
    for (let counter = memory.shape.counters; counter > 0; counter--) this.#free.push(counter - 1);
  }

  /** Takes a counter until the future has settled, and all jobs that use it have ended. */
  take(future: TaskFuture<unknown>): Pick<JobRanges, 'counter' | 'number'> {
    const number = this.#free.pop();
    if (number === undefined) {
      const counter = new Int32Array(new SharedArrayBuffer(4));
      future.whenSettled((failure) => failure && Atomics.store(counter, 0, OVER));
      return { counter, number: -1 };
    }
    const at = this.#memory.counterAt(number);
    const counter = this.#memory.words.subarray(at, at + 1);
    Atomics.store(counter, 0, 0);
    future.whenSettled((failure) => {
      if (failure) Atomics.store(counter, 0, OVER);
      this.#settled.add(number);
      this.giveBack(number);
    });
    return { counter, number };
  }

  /** Frees the counter if its future has settled and no job uses it. Called after each end of a job. */
  giveBack(number: number): void {
    if (!this.#settled.has(number) || this.#isUsed(number)) return;
    this.#settled.delete(number);
    this.#free.push(number);
  }
}
