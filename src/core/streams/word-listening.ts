/**
 * How a thread hears that a word of shared memory has changed: neither blocked nor by a message.
 *
 *   listener   reads 4 │ listens while it is 4 ~~~~~~~~~~│ called back, in a turn of its own
 *   teller                          word ← 5 │ notify ───┘
 */

/** `Atomics.waitAsync`, which the library of types lacks that this project compiles with. */
type WaitAsync = (
  words: Int32Array,
  index: number,
  expected: number,
  milliseconds?: number,
) => { readonly async: false } | { readonly async: true; readonly value: Promise<unknown> };

/** `Atomics.waitAsync`; undefined where the browser has none. */
export const waitAsyncHere = (): WaitAsync | undefined =>
  (Atomics as unknown as { readonly waitAsync?: WaitAsync }).waitAsync;

const waitAsync = waitAsyncHere();

/** Whether threads can be told so here. */
export const canListenToWords = waitAsync !== undefined;

/** Calls back, not at once, when the word is no longer `expected` and whoever changed it has notified. Nothing else ends it. */
export function listenToWord(words: Int32Array, index: number, expected: number, onChange: () => void): void {
  const waiting = waitAsync?.call(Atomics, words, index, expected);
  if (waiting?.async) void waiting.value.then(onChange);
  else queueMicrotask(onChange);
}
