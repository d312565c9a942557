import type { FencepostError } from '../core/errors.js';

/** A whole number that only grows: a number up to 2^53, or for monitored fences also a bigint. */
export type FenceValue = number | bigint;

/**
 * The interfaces of fences: one for waiters, and one for signallers (SYSTEMS R4, F1). The engine's `PrivateFence`
 * counts frames and lists. Threads and queues share a `MonitoredFence` by handles. RenderCommandFence, FrameEndSync,
 * the in-flight limit, release queues and links work with both kinds.
 *
 *   WaitableFence ◄── FrameEndSync, RenderCommandFence, canSubmit, sendFences
 *        ▲
 *   SignallableFence ◄── commands that signal
 *        ▲
 *   PrivateFence │ MonitoredFence │ a queue's view of a MonitoredFence
 */
export interface WaitableFence {
  readonly name: string;
  /** The last value signalled, exact up to 2^53. */
  readonly value: number;
  /** The error that ended the fence, or `null`. */
  readonly error: FencepostError | null;
  isReached(value: FenceValue): boolean;
  /** Resolves when the value is reached; rejects when the fence fails first. */
  whenReached(value: FenceValue): Promise<void>;
  /**
   * Calls `listener` when the fence fails, and after every change that this thread is notified of.
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void;
}

export interface SignallableFence extends WaitableFence {
  /** Raises the value. A value already reached changes nothing. */
  signal(value: FenceValue): void;
  /** Fails the fence. The first error is kept. */
  fail(error: Error): void;
}
