/**
 * Waits with deadlines. A deadline is *absolute*: a point on the clock, so spurious wake-ups and early timers can't
 * move it. A time-out is an error that names the waiter and the awaited event. It never counts as completion.
 */
import { ThreadError } from '../core/errors.js';

/** The clock and timers of deadlines. Tests replace them. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Calls `callback` after about `milliseconds`. @returns the timer's id, for `clear` */
  set(callback: () => void, milliseconds: number): unknown;
  clear(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  set: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clear: (timer) => clearTimeout(timer as number),
};

/**
 * Longest timer, in milliseconds. Browsers fire longer timers at once, so a longer wait uses several timers in turn.
 */
const LONGEST_TIMER = 0x7fffffff;

/**
 * Calls `onTimeOut` when the clock has reached `deadline` (milliseconds), not before.
 * @returns a function that cancels the call
 */
export function atDeadline(deadline: number, clock: Clock, onTimeOut: () => void): () => void {
  let timer: unknown;
  const arm = () => {
    timer = clock.set(
      () => (clock.now() >= deadline ? onTimeOut() : arm()),
      Math.min(LONGEST_TIMER, Math.max(0, deadline - clock.now())),
    );
  };
  arm();
  return () => clock.clear(timer);
}

/** Creates the error of a wait that has reached its deadline. */
export function timedOut(waiter: string, awaited: string, milliseconds: number): ThreadError {
  return new ThreadError(
    'wait-timed-out',
    `${waiter} waited ${Math.round(milliseconds)} ms in vain for ${awaited}. Find out what delays it, or allow more time.`,
  );
}

interface DeadlineOptions {
  /** Longest wait from this call on. */
  readonly milliseconds: number;
  /** The waiter, as a noun: "the game thread". */
  readonly waiter: string;
  /** The awaited event: "frame 7 of the render thread", "the fence "done" to reach 9". */
  readonly awaited: string;
  readonly clock?: Clock;
}

/** Settles like `promise`, or rejects with `wait-timed-out` if it has not settled by the deadline. */
export function withDeadline<T>(promise: Promise<T>, options: DeadlineOptions): Promise<T> {
  const { milliseconds, waiter, awaited, clock = systemClock } = options;
  return new Promise((resolve, reject) => {
    const cancel = atDeadline(clock.now() + milliseconds, clock, () =>
      reject(timedOut(waiter, awaited, milliseconds)),
    );
    promise.then(resolve, reject).finally(cancel);
  });
}
