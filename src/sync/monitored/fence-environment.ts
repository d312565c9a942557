/**
 * What fences need of the place they run in: atomic operations, a clock, ports, and a way to hear of a change without
 * blocking. Tests put their own in its place.
 */
import type { PortLike } from '../../core/carrier.js';
import { type Clock, systemClock } from '../deadline.js';
import type { FenceAtomics } from './fence-memory.js';

export interface FenceEnvironment {
  readonly atomics: FenceAtomics;
  readonly clock: Clock;
  /** Calls back, not at once, when the word is no longer `expected`. Nothing else ends it. */
  listen(ints: Int32Array, index: number, expected: number, onChange: () => void): void;
  createChannel(): { readonly port1: PortLike; readonly port2: PortLike };
  /** Milliseconds since 1970, comparable between threads. */
  now(): number;
}

/** Missing in the library of types that this project compiles with. */
type WaitAsync = (
  ints: Int32Array,
  index: number,
  value: number,
) => { readonly async: false } | { readonly async: true; readonly value: Promise<unknown> };

const waitAsync = (Atomics as unknown as { readonly waitAsync?: WaitAsync }).waitAsync;

/** Whether threads can share fences in memory here, and hear of them without blocking. */
export const canShareFences = (): boolean =>
  globalThis.crossOriginIsolated !== false &&
  typeof SharedArrayBuffer !== 'undefined' &&
  waitAsync !== undefined;

export const systemEnvironment: FenceEnvironment = {
  atomics: Atomics,
  clock: systemClock,
  listen: (ints, index, expected, onChange) => {
    const waiting = waitAsync?.(ints, index, expected);
    if (waiting?.async) void waiting.value.then(onChange);
    else queueMicrotask(onChange);
  },
  createChannel: () => new MessageChannel(),
  now: () => performance.timeOrigin + performance.now(),
};
