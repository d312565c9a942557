import type { FencepostError } from '../core/errors.js';

/**
 * What everybody who waits knows of a fence, and what whoever signals it does. Both the small local `Fence`, which
 * the engine's worker carries, and the `MonitoredFence`, which threads and queues share, are such fences; so
 * RenderCommandFence, FrameEndSync, the in-flight limit, release queues and links stand on either (SYSTEMS R4, F1).
 *
 *   WaitableFence ◄── FrameEndSync, RenderCommandFence, canSubmit, sendFences
 *        ▲
 *   SignallableFence ◄── receiveFences, commands that signal
 *        ▲
 *   Fence │ MonitoredFence │ a queue's view of a MonitoredFence
 */
export interface WaitableFence {
  readonly name: string;
  /** Exact up to 2^53. */
  readonly value: number;
  /** The error that ended it, or null. */
  readonly error: FencepostError | null;
  isReached(value: number): boolean;
  /** Resolves when the value is reached; rejects when the fence fails first. */
  whenReached(value: number): Promise<void>;
  /** Calls back after every change that this thread hears of, and at the failure. @returns what ends it */
  subscribe(listener: () => void): () => void;
}

export interface SignallableFence extends WaitableFence {
  /** Raises the value; one already reached changes nothing. */
  signal(value: number): void;
  /** Ends the fence; the first error is kept. */
  fail(error: Error): void;
}
