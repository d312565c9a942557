import type { FencepostError } from '../core/errors.js';

/** A whole number that only grows: a number up to 2^53, or a bigint where the fence has 64 bits. */
export type FenceValue = number | bigint;

/**
 * What everybody who waits knows of a fence, and what whoever signals it does. The engine's `PrivateFence`, which counts
 * frames and lists, and the `MonitoredFence`, which threads and queues share by handles, are such fences; so
 * RenderCommandFence, FrameEndSync, the in-flight limit, release queues and links stand on either (SYSTEMS R4, F1).
 *
 *   WaitableFence ◄── FrameEndSync, RenderCommandFence, canSubmit, sendFences
 *        ▲
 *   SignallableFence ◄── commands that signal
 *        ▲
 *   PrivateFence │ MonitoredFence │ a queue's view of a MonitoredFence
 */
export interface WaitableFence {
  readonly name: string;
  /** Exact up to 2^53. */
  readonly value: number;
  /** The error that ended it, or null. */
  readonly error: FencepostError | null;
  isReached(value: FenceValue): boolean;
  /** Resolves when the value is reached; rejects when the fence fails first. */
  whenReached(value: FenceValue): Promise<void>;
  /** Calls back after every change that this thread hears of, and at the failure. @returns what ends it */
  subscribe(listener: () => void): () => void;
}

export interface SignallableFence extends WaitableFence {
  /** Raises the value; one already reached changes nothing. */
  signal(value: FenceValue): void;
  /** Ends the fence; the first error is kept. */
  fail(error: Error): void;
}
