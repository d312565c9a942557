/** Returns whether the value can be awaited: a promise, a future, or any other object with a `then` method. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/**
 * The value of the property `staysHere` of futures. Symbols can't be cloned, so structured clones reject
 * futures as they reject promises. Otherwise a task would receive a plain object `{ name }`. The error's
 * message contains the description of the symbol.
 */
export const STAYS_HERE = Symbol(
  'a future, which stays on its thread: pass its result, or name it among the prerequisites',
);
/** The value of the same property of counters. */
export const COUNTER_STAYS = Symbol('a counter, which stays on its thread: pass its `place`');
