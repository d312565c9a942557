/**
 * Calls a function when a word of shared memory changes, without blocking the thread and without a message.
 *
 *   listener   reads 4 │ listens while it is 4 ~~~~~~~~~~│ called back, in a turn of its own
 *   notifier                        word ← 5 │ notify ───┘
 */

/** Type of `Atomics.waitAsync`, which is missing in the TypeScript library that this project uses. */
type WaitAsync = (
  words: Int32Array,
  index: number,
  expected: number,
  milliseconds?: number,
) => { readonly async: false } | { readonly async: true; readonly value: Promise<unknown> };

/** Returns `Atomics.waitAsync`, or undefined if the browser has none. */
export const waitAsyncHere = (): WaitAsync | undefined =>
  (Atomics as unknown as { readonly waitAsync?: WaitAsync }).waitAsync;

const waitAsync = waitAsyncHere();

/** True if this browser can listen to words. */
export const canListenToWords = waitAsync !== undefined;

/**
 * Calls `onChange` once, asynchronously. If the word is `expected`, it first waits until the writer has notified. A
 * listener can't be removed. In browsers without `Atomics.waitAsync`, it never waits.
 */
export function listenToWord(words: Int32Array, index: number, expected: number, onChange: () => void): void {
  const waiting = waitAsync?.call(Atomics, words, index, expected);
  if (waiting?.async) void waiting.value.then(onChange);
  else queueMicrotask(onChange);
}
