/**
 * Structured clones would make plain objects of futures: a task that was given one would find `{ name }`. A value that can't be cloned makes
 * them refused, as promises are; its words are in the message that tells it.
 */
export const STAYS_HERE = Symbol(
  'a future, which stays on its thread: give what it comes to, or name it among the prerequisites',
);
/** The same of a counter. */
export const COUNTER_STAYS = Symbol('a counter, which stays on its thread: give its `place`');
