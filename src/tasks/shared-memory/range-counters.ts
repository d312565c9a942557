/**
 * Counters in the memory that all threads have, one for each `parallelFor` under way; one that finds none gets memory of its own.
 *
 *   take ─► its jobs take ranges from it ─► the future has settled, and no job looks at it any more ─► free
 */

import type { TaskFuture } from '../futures/task-future.js';
import type { JobRanges } from '../job.js';
import type { TaskMemory } from './task-memory.js';

/** Beyond every count: who still takes ranges finds none. */
const OVER = 2 ** 30;

export class RangeCounters {
  readonly #memory: TaskMemory;
  readonly #isLookedAt: (number: number) => boolean;
  readonly #free: number[] = [];
  /** Whose futures have settled, and which jobs still look at. */
  readonly #settled = new Set<number>();

  /** @param isLookedAt whether a job that has not ended takes ranges from this one */
  constructor(memory: TaskMemory, isLookedAt: (number: number) => boolean) {
    this.#memory = memory;
    this.#isLookedAt = isLookedAt;
    for (let counter = memory.shape.counters; counter > 0; counter--) this.#free.push(counter - 1);
  }

  /** Until the future has settled. Its jobs look at it until they end. */
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

  /** A job that looked at it is gone: it is used again when nobody can look at it any more. */
  giveBack(number: number): void {
    if (!this.#settled.has(number) || this.#isLookedAt(number)) return;
    this.#settled.delete(number);
    this.#free.push(number);
  }
}
