/** How a thread hears that a word of shared memory has changed, without blocking. Tests put their own in its place. */

/** The atomic operations of the protocol; a test puts an interleaving scheduler in their place. */
export type FenceAtomics = Pick<
  typeof Atomics,
  'load' | 'store' | 'and' | 'or' | 'add' | 'sub' | 'exchange' | 'compareExchange' | 'notify' | 'wait'
>;

export interface FenceListening {
  readonly atomics: FenceAtomics;
  /** Calls back, not at once, when the word is no longer `expected`. Nothing else ends it. */
  listen(ints: Int32Array, index: number, expected: number, onChange: () => void): void;
}

/** Missing in the library of types that this project compiles with. */
type WaitAsync = (
  ints: Int32Array,
  index: number,
  value: number,
) => { readonly async: false } | { readonly async: true; readonly value: Promise<unknown> };

const { waitAsync } = Atomics as unknown as { readonly waitAsync?: WaitAsync };

/** Whether threads can share fences in memory here, and hear of them without blocking. */
export const canShareFences = (): boolean =>
  globalThis.crossOriginIsolated !== false &&
  typeof SharedArrayBuffer !== 'undefined' &&
  waitAsync !== undefined;

export const systemListening: FenceListening = {
  atomics: Atomics,
  listen: (ints, index, expected, onChange) => {
    const waiting = waitAsync?.call(Atomics, ints, index, expected);
    if (waiting?.async) void waiting.value.then(onChange);
    else queueMicrotask(onChange);
  },
};
