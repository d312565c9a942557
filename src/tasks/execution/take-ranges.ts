import { eventTurn } from '../../core/events/event-turn.js';
import { isPromise } from '../is-promise.js';
import { SLICE } from '../slice-runner.js';
import type { CallableTask } from '../task-module.js';

/** Where a range's bounds and the counter stand. */
export interface Ranges {
  /** [next index]; in shared memory, where several take from it. */
  readonly counter: Int32Array;
  readonly count: number;
  readonly batch: number;
}

/** Milliseconds, and over how many indices; null: it has awaited something, which is no measure of the task. */
export type Measured = readonly [milliseconds: number, indices: number] | null;

/** Asked after each call: what to wait for before the next one; null: nothing. It may throw. */
export type Turn = () => Promise<unknown> | null;

/** Between the calls of one job: a turn of the event loop after each slice. @param check may throw, which ends the job */
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
 * Runs the task over ranges from the counter until none is left; one that throws leaves none to the others.
 * @returns what it cost; a promise only where a call has returned one
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
    // It may have gone beyond 2³¹ where many ask at the end.
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

/** A pause between calls is nothing that the task has awaited. */
function sumOf(before: readonly [number, number], rest: Measured): Measured {
  return rest ? [before[0] + rest[0], before[1] + rest[1]] : before;
}
