/**
 * Runs the body of every task (SYSTEMS T1): tasks in slots, tasks without a slot, orders by message and tasks of the
 * page. These kinds differ only in the functions that they pass for the end of the body.
 *
 *   call ─┬─ returns ──────────── doNotCompleteUntil? ─ none ─► done, at once
 *         ├─ returns a promise ─► suspend ─► resolved ─ doNotCompleteUntil ─► done
 *         └─ throws, or rejects ─────────────────────────────► failed
 */

import { eventTurn } from '../../core/events/event-turn.js';
import { isPromise } from '../futures/awaitable.js';
import type { TaskContext } from './task-context.js';

interface BodyEnds<Result> {
  /** Called when the body has returned a value or a promise, or has thrown. Times are those of `performance.now()`. */
  ran?(began: number, ended: number): void;
  /** Called if the body's end awaits a promise. @returns a function that is called when the body has ended */
  suspend?(): () => void;
  /** @param milliseconds duration of a body that has awaited nothing, if `ran` is given */
  done(value: unknown, milliseconds?: number): Result;
  /** Called if the body, a promise of `doNotCompleteUntil` or `done` has failed. */
  failed(thrown: unknown): Result | Promise<Result>;
}

/** Runs the body up to its first promise. @returns the result of `done` or `failed`; a promise if the body awaits */
export function runBody<Result>(
  call: () => unknown,
  context: Pick<TaskContext, 'finish'>,
  ends: BodyEnds<Result>,
): Result | Promise<Result> {
  // Read the clock only for a caller that uses the times.
  const began = ends.ran ? performance.now() : 0;
  let called: unknown;
  let milliseconds: number | undefined;
  try {
    called = call();
  } catch (thrown) {
    ends.ran?.(began, performance.now());
    return ends.failed(thrown);
  }
  if (ends.ran) {
    const ended = performance.now();
    ends.ran(began, ended);
    milliseconds = ended - began;
  }
  const isAwaited = isPromise(called);
  const until = isAwaited ? undefined : context.finish();
  if (isAwaited || until) return awaitBody(called, until, context, ends);
  return endBody(called, ends, milliseconds);
}

async function awaitBody<Result>(
  called: unknown,
  until: Promise<unknown> | undefined,
  context: Pick<TaskContext, 'finish'>,
  ends: BodyEnds<Result>,
): Promise<Result> {
  const resume = ends.suspend?.();
  let value: unknown;
  try {
    value = await called;
    await (until ?? context.finish());
  } catch (thrown) {
    resume?.();
    return ends.failed(thrown);
  }
  resume?.();
  return endBody(value, ends);
}

function endBody<Result>(
  value: unknown,
  ends: BodyEnds<Result>,
  milliseconds?: number,
): Result | Promise<Result> {
  try {
    return ends.done(value, milliseconds);
  } catch (thrown) {
    return ends.failed(thrown);
  }
}

/**
 * Calls a task. A task that is a generator runs as a fiber (SYSTEMS T6). It waits at each `yield` for a future or
 * another promise, such as `counter.whenReached()`. It then continues on the same thread with the promise's value. The
 * thread runs other tasks meanwhile.
 *
 *   *path({ map }, begin, end, task) {
 *     const parts = yield task.run('split', { map });         // the value of the promise; throws if it rejects
 *     yield;                                                  // lets other tasks run
 *     …
 *   }
 */
export function callTask(
  task: (...call: never[]) => unknown,
  args: unknown,
  begin: number,
  end: number,
  context: unknown,
): unknown {
  const result = (task as (...call: unknown[]) => unknown)(args, begin, end, context);
  return isGenerator(result) ? runFiber(result) : result;
}

/** Runs the generator to its end. @returns its result, or a promise of it if the generator has yielded */
export function runFiber(generator: Iterator<unknown, unknown, unknown>): unknown {
  return step(generator, () => generator.next());
}

function step(
  generator: Iterator<unknown, unknown, unknown>,
  resume: () => IteratorResult<unknown, unknown>,
): unknown {
  const { done, value } = resume();
  if (done) return value;
  const awaited = value === undefined ? eventTurn() : Promise.resolve(value);
  // A promise calls back only once, even if it wraps a faulty thenable, so no fiber is resumed twice.
  return awaited.then(
    (result) => step(generator, () => generator.next(result)),
    (error) => step(generator, () => throwInto(generator, error)),
  );
}

function throwInto(generator: Iterator<unknown, unknown, unknown>, error: unknown) {
  if (generator.throw) return generator.throw(error);
  throw error;
}

export const isGenerator = (value: unknown): value is Iterator<unknown, unknown, unknown> =>
  Object.prototype.toString.call(value) === '[object Generator]';
