/** `Atomics.waitAsync`, which TypeScript's library of this year does not have; undefined where the browser has none. */
export type WaitAsync = (
  words: Int32Array,
  index: number,
  expected: number,
  milliseconds: number,
) => { readonly async: boolean; readonly value: Promise<string> | string };

export const waitAsyncHere = (): WaitAsync | undefined =>
  (Atomics as unknown as { readonly waitAsync?: WaitAsync }).waitAsync;
