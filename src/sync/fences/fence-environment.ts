/**
 * The environment of fences: atomic access to shared memory, notification of its changes, clocks and channels. Tests
 * replace it with their own.
 */

import { hasOpaqueOrigin } from '../../core/browser/opaque-origin.js';
import type { PortLike } from '../../core/streams/carrier.js';
import { canListenToWords, listenToWord } from '../../core/streams/word-listening.js';
import { type Clock, systemClock } from '../deadline.js';

/** The atomic operations of the protocol. Tests replace them with an interleaving scheduler. */
export type FenceAtomics = Pick<
  typeof Atomics,
  'load' | 'store' | 'and' | 'or' | 'add' | 'sub' | 'exchange' | 'compareExchange' | 'notify' | 'wait'
>;

export interface FenceListening {
  readonly atomics: FenceAtomics;
  /**
   * Calls `onChange` once, asynchronously. If the word is `expected`, the call waits for the next notification. A
   * listener can't be removed.
   */
  listen(ints: Int32Array, index: number, expected: number, onChange: () => void): void;
}

/** Returns whether threads can share fences in memory on this page, and can be notified without blocking. */
export const canShareFences = (): boolean =>
  globalThis.crossOriginIsolated !== false &&
  typeof SharedArrayBuffer !== 'undefined' &&
  canListenToWords &&
  !hasOpaqueOrigin();

export const systemListening: FenceListening = { atomics: Atomics, listen: listenToWord };

export interface FenceEnvironment extends FenceListening {
  readonly clock: Clock;
  createChannel(): { readonly port1: PortLike; readonly port2: PortLike };
  /** Milliseconds since 1970, comparable between threads. */
  now(): number;
}

export const systemEnvironment: FenceEnvironment = {
  ...systemListening,
  clock: systemClock,
  createChannel: () => new MessageChannel(),
  now: () => performance.timeOrigin + performance.now(),
};
