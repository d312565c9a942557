/** Calls listeners when a playing clip passes their times, in any direction and across the clip's ends. */
import { clamp } from '../../core/math/numbers.js';
import { PlaybackMode } from '../../proxy/motion/clip.js';

/** A function that is called when a clip passes a time. */
interface ClipCue {
  /** Seconds from the start of the clip. */
  readonly seconds: number;
  readonly listener: () => void;
}

/** The part of a clip that a frame plays, in seconds that do not wrap when the clip repeats. */
interface ClipInterval {
  readonly duration: number;
  /** A value of `PlaybackMode`. */
  readonly mode: number;
  readonly from: number;
  readonly to: number;
  /** Whether `from` is included, because no listener was called for it yet. */
  readonly isFirst: boolean;
}

/** The listeners of a playback, each with its time in the clip. */
export class ClipCues {
  readonly #cues = new Set<ClipCue>();
  /** Time up to which listeners were called; null before the start and after a jump. */
  #reachedSeconds: number | null = null;
  readonly #duration: number;
  readonly #onError: (seconds: number, cause: unknown) => void;

  /** @param onError called when a listener throws */
  constructor(duration: number, onError: (seconds: number, cause: unknown) => void) {
    this.#duration = duration;
    this.#onError = onError;
  }

  /** @returns a function that removes the listener */
  add(seconds: number, listener: () => void): () => void {
    const cue = { seconds, listener };
    this.#cues.add(cue);
    return () => this.#cues.delete(cue);
  }

  clear(): void {
    this.#cues.clear();
  }

  /** Whether there are any listeners. */
  get hasListeners(): boolean {
    return this.#cues.size > 0;
  }

  /** Advances to a time without calling listeners. */
  skip(to: number): void {
    this.#reachedSeconds = to;
  }

  /** Forgets the reached time after a jump, so that no listener between the old and the new time is called. */
  restart(): void {
    this.#reachedSeconds = null;
  }

  /** Adds seconds to the reached time, after the origin of playback time has changed. */
  shift(seconds: number): void {
    if (this.#reachedSeconds !== null) this.#reachedSeconds += seconds;
  }

  /**
   * Per frame: schedules the listeners whose times were passed. They run in microtasks after the frame is
   * written, so they may call any API.
   * @param mode value of `PlaybackMode`
   * @param begin start of the interval if the playback has just started or jumped
   */
  advance(mode: number, begin: number, to: number): void {
    const previous = this.#reachedSeconds;
    this.#reachedSeconds = to;
    if (this.#cues.size === 0) return;
    const interval = {
      duration: this.#duration,
      mode,
      from: previous ?? begin,
      to,
      isFirst: previous === null,
    };
    for (const cue of this.#cues) {
      if (passes(cue.seconds, interval)) queueMicrotask(() => this.#call(cue));
    }
  }

  #call(cue: ClipCue): void {
    if (!this.#cues.has(cue)) return;
    try {
      cue.listener();
    } catch (cause) {
      this.#onError(cue.seconds, cause);
    }
  }
}

/**
 * Returns whether an interval passes `place`, which recurs every `period` seconds:
 *
 *       place      place + period   place + 2 period
 *   ──────┼───────────────┼───────────────┼────►        the end of the interval counts; its start was counted before
 *
 * Both ends are computed by the same formula, so rounding loses no time between two consecutive frames.
 */
function passesPeriodically(place: number, period: number, { from, to, isFirst }: ClipInterval): boolean {
  if (isFirst && from === place) return true;
  const begin = (from - place) / period;
  const end = (to - place) / period;
  return to >= from ? Math.floor(end) > Math.floor(begin) : Math.ceil(end) < Math.ceil(begin);
}

/** Returns whether the clip passes `seconds` in the interval. */
export function passes(seconds: number, interval: ClipInterval): boolean {
  const { duration, mode, isFirst } = interval;
  if (mode === PlaybackMode.once || duration === 0) {
    // A clip played once stops at both ends. `passesPeriodically` needs a finite period other than 0.
    const from = clamp(interval.from, 0, duration);
    const to = clamp(interval.to, 0, duration);
    if (isFirst && from === seconds) return true;
    return to >= from ? from < seconds && seconds <= to : to <= seconds && seconds < from;
  }
  if (mode === PlaybackMode.repeat) return passesPeriodically(seconds, duration, interval);
  return (
    passesPeriodically(seconds, 2 * duration, interval) ||
    passesPeriodically(2 * duration - seconds, 2 * duration, interval)
  );
}
