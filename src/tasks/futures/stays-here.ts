/**
 * A property of futures that can't be cloned, so that structured clones reject futures as they reject promises.
 * Otherwise a task would receive a plain object `{ name }`. The description appears in the message of the error.
 */
export const STAYS_HERE = Symbol(
  'a future, which stays on its thread: pass its result, or name it among the prerequisites',
);
/** The same property of counters. */
export const COUNTER_STAYS = Symbol('a counter, which stays on its thread: pass its `place`');
