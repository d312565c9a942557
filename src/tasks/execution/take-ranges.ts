import { eventTurn } from '../../core/events/event-turn.js';
import { isPromise } from '../is-promise.js';
import { SLICE } from '../slice-runner.js';
import type { CallableTask } from '../task-module.js';

/** A counter from which jobs take ranges. */
export interface Ranges {
  /** The next index, as its only element. It is in shared memory if several threads take ranges from it. */
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
}

/**
 * Cost of a job and the number of its indices. `null` if the job ran no index, or if a call of the task
 * returned a promise: the time until it settles is not the task's cost alone.
 */
export type Measured = readonly [milliseconds: number, indices: number] | null;

/**
 * Called after each call of a task that returns no promise. Returns `null`, or a promise to await before the
 * next.
 */
export type Turn = () => Promise<unknown> | null;

/**
 * Returns a `Turn` that lets the event loop turn after each slice (`SLICE` milliseconds) of a job.
 * @param check called after each turn; ends the job by throwing
 */
export function turnsOfLoop(check: () => void): Turn {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE) return null;
    return eventTurn().then(() => {
      began = performance.now();
      check();
    });
  };
}

/**
 * Runs the task over ranges from the counter until none is left. If the task throws, the counter jumps to the
 * end, so that no thread runs the remaining ranges.
 * @returns the cost; a promise only if a call of the task or `turn` has returned one
 */
export function takeRanges(
  task: (...call: Parameters<CallableTask>) => unknown,
  args: unknown,
  ranges: Ranges,
  turn: Turn = () => null,
): Measured | Promise<Measured> {
  const { counter, count, batch } = ranges;
  const fail = (error: unknown): never => {
    Atomics.store(counter, 0, count);
    throw error;
  };
  const began = performance.now();
  let indices = 0;
  for (;;) {
    const begin = Atomics.add(counter, 0, batch);
    // The counter may have passed 2³¹, because every thread adds once more at the end.
    if (begin >= count || begin < 0) return indices === 0 ? null : [performance.now() - began, indices];
    const end = Math.min(begin + batch, count);
    let called: unknown;
    let pause: Promise<unknown> | null = null;
    try {
      called = task(args, begin, end);
      if (!isPromise(called)) pause = turn();
    } catch (error) {
      fail(error);
    }
    indices += end - begin;
    if (isPromise(called)) {
      return Promise.resolve(called).then(async () => {
        await takeRanges(task, args, ranges, turn);
        return null;
      }, fail);
    }
    if (pause) {
      const before = [performance.now() - began, indices] as const;
      return pause.then(async () => sumOf(before, await takeRanges(task, args, ranges, turn)), fail);
    }
  }
}

/** Adds the costs before and after a pause of `turn`. The pause itself is no cost of the task. */
function sumOf(before: readonly [number, number], rest: Measured): Measured {
  return rest ? [before[0] + rest[0], before[1] + rest[1]] : before;
}
