/**
 * Fibers (SYSTEMS T6). A task that is a generator waits at each `yield` for a future, a counter or another
 * promise. It then continues on the same thread with the promise's value. The thread runs other tasks
 * meanwhile.
 *
 *   *path({ map }, begin, end, task) {
 *     const parts = yield task.run('split', { map });         // the value of the promise; throws if it rejects
 *     yield;                                                  // lets other tasks run
 *     …
 *   }
 */
import { eventTurn } from '../../core/events/event-turn.js';

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
