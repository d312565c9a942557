/** Detects when a clip passes a time while it plays: forwards, backwards, across its end and back again. */
import { clamp } from '../../core/math/numbers.js';
import { PlaybackMode } from '../../proxy/motion/clip.js';

/** A function that is called when a clip passes a time. */
interface ClipCue {
  /** Seconds from the start of the clip. */
  readonly seconds: number;
  readonly listener: () => void;
}

/** The part of a clip that a frame plays, in seconds that keep rising when the clip repeats. */
interface ClipWay {
  readonly duration: number;
  /** `PlaybackMode`. */
  readonly mode: number;
  readonly from: number;
  readonly to: number;
  /** Whether `from` is included, because no listener was called for it yet. */
  readonly isFirst: boolean;
}

/** The listeners of a playback, each with its time in the clip. */
export class ClipCues {
  readonly #all = new Set<ClipCue>();
  /** Time up to which listeners were called; null before the start and after a jump. */
  #toldSeconds: number | null = null;
  readonly #duration: number;
  readonly #fail: (seconds: number, cause: unknown) => void;

  /** @param fail called when a listener throws */
  constructor(duration: number, fail: (seconds: number, cause: unknown) => void) {
    this.#duration = duration;
    this.#fail = fail;
  }

  /** @returns a function that removes the listener */
  add(seconds: number, listener: () => void): () => void {
    const cue = { seconds, listener };
    this.#all.add(cue);
    return () => this.#all.delete(cue);
  }

  clear(): void {
    this.#all.clear();
  }

  /** Whether there are any listeners. */
  get hasListeners(): boolean {
    return this.#all.size > 0;
  }

  /** Advances to a time without calling listeners. */
  skip(to: number): void {
    this.#toldSeconds = to;
  }

  /** Called after a jump: listeners between the old and the new time are not called. */
  restart(): void {
    this.#toldSeconds = null;
  }

  /** Adds seconds to the time reached, when playback time is counted from another origin. */
  shift(seconds: number): void {
    if (this.#toldSeconds !== null) this.#toldSeconds += seconds;
  }

  /**
   * Per frame: calls the listeners whose times were passed. They run in microtasks once the frame is written,
   * so they may call any API.
   * @param mode `PlaybackMode`
   * @param begin start time, if the playback starts in this frame
   */
  tell(mode: number, begin: number, to: number): void {
    const told = this.#toldSeconds;
    this.#toldSeconds = to;
    if (this.#all.size === 0) return;
    const way = { duration: this.#duration, mode, from: told ?? begin, to, isFirst: told === null };
    for (const cue of this.#all) {
      if (passes(cue.seconds, way)) queueMicrotask(() => this.#call(cue));
    }
  }

  #call(cue: ClipCue): void {
    if (!this.#all.has(cue)) return;
    try {
      cue.listener();
    } catch (cause) {
      this.#fail(cue.seconds, cause);
    }
  }
}

/**
 * Returns whether a repeating interval passes `place`, whose occurrences are `period` seconds apart:
 *
 *       place      place + period   place + 2 period
 *   ──────┼───────────────┼───────────────┼────►        the end of the interval counts; its start was counted before
 *
 * Both ends are computed by the same sum, so rounding never makes two consecutive frames both miss a time.
 */
function meets(place: number, period: number, { from, to, isFirst }: ClipWay): boolean {
  if (isFirst && from === place) return true;
  const begin = (from - place) / period;
  const end = (to - place) / period;
  return to >= from ? Math.floor(end) > Math.floor(begin) : Math.ceil(end) < Math.ceil(begin);
}

/** Returns whether the clip passes `seconds` in the interval. */
export function passes(seconds: number, way: ClipWay): boolean {
  const { duration, mode, isFirst } = way;
  if (mode === PlaybackMode.once || duration === 0) {
    // A clip played once stops at both ends. `meets` does not apply: it needs a finite period.
    const from = clamp(way.from, 0, duration);
    const to = clamp(way.to, 0, duration);
    if (isFirst && from === seconds) return true;
    return to >= from ? from < seconds && seconds <= to : to <= seconds && seconds < from;
  }
  if (mode === PlaybackMode.repeat) return meets(seconds, duration, way);
  return meets(seconds, 2 * duration, way) || meets(2 * duration - seconds, 2 * duration, way);
}
