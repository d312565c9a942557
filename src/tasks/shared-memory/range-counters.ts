/**
 * Counters of running `parallelFor`s, in the memory that all threads share. If none is free, a
 * `parallelFor` gets a counter in memory of its own.
 *
 *   take ─► its jobs take ranges from it ─► the future has settled, and no job uses it any more ─► free
 */

import type { TaskFuture } from '../futures/task-future.js';
import type { JobRanges } from '../job.js';
import type { TaskMemory } from './task-memory.js';

/** Counter value at which no range of any loop begins: jobs that still take ranges find none. */
const OVER = 2 ** 30;

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
