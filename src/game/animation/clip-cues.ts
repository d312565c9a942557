/** When a clip passes a time on its way: forwards, backwards, over its end and back again. */
import { clamp } from '../../core/math/numbers.js';
import { PlaybackMode } from '../../proxy/motion/clip.js';

/** A function that is called when a clip passes a time. */
interface ClipCue {
  /** In the clip. */
  readonly seconds: number;
  readonly listener: () => void;
}

/** The way of a clip in a frame, in seconds that go on rising where it repeats. */
interface ClipWay {
  readonly duration: number;
  /** `PlaybackMode`. */
  readonly mode: number;
  readonly from: number;
  readonly to: number;
  /** Whether `from` counts: nobody has been told of it. */
  readonly isFirst: boolean;
}

/** The functions that a playback calls on its way. */
export class ClipCues {
  readonly #all = new Set<ClipCue>();
  /** Up to where on its way they were told; null: it has not begun, or is put somewhere else. */
  #told: number | null = null;
  readonly #duration: number;
  readonly #fail: (seconds: number, cause: unknown) => void;

  /** @param fail hears of a listener that throws */
  constructor(duration: number, fail: (seconds: number, cause: unknown) => void) {
    this.#duration = duration;
    this.#fail = fail;
  }

  /** @returns a function that ends the calls */
  add(seconds: number, listener: () => void): () => void {
    const cue = { seconds, listener };
    this.#all.add(cue);
    return () => this.#all.delete(cue);
  }

  clear(): void {
    this.#all.clear();
  }

  /** Whether anybody listens. */
  get isHeard(): boolean {
    return this.#all.size > 0;
  }

  /** The playback has come this far, and nobody is told. */
  skip(to: number): void {
    this.#told = to;
  }

  /** The playback is put somewhere else: no way leads there. */
  restart(): void {
    this.#told = null;
  }

  /** The way is counted from elsewhere: by so many seconds more. */
  shift(seconds: number): void {
    if (this.#told !== null) this.#told += seconds;
  }

  /**
   * Per frame: the playback has come this far. Listeners may do whatever page code may: they are called when the frame is written.
   * @param mode `PlaybackMode`
   * @param begin where the way begins, if it does now
   */
  tell(mode: number, begin: number, to: number): void {
    const told = this.#told;
    this.#told = to;
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
 * Where times are on a way that repeats after `period`, in which the clip is at `place`:
 *
 *       place      place + period   place + 2 period
 *   ──────┼───────────────┼───────────────┼────►        a time that the way ends at counts, one that it begins at has counted
 *
 * Both ends are put through the same sum, so that what one frame just misses the next one meets.
 */
function meets(place: number, period: number, { from, to, isFirst }: ClipWay): boolean {
  if (isFirst && from === place) return true;
  const begin = (from - place) / period;
  const end = (to - place) / period;
  return to >= from ? Math.floor(end) > Math.floor(begin) : Math.ceil(end) < Math.ceil(begin);
}

/** Whether the clip is at `seconds` on the way. */
export function passes(seconds: number, way: ClipWay): boolean {
  const { duration, mode, isFirst } = way;
  if (mode === PlaybackMode.once || duration === 0) {
    // Its time stops at both ends, where an endless period never comes to anything again.
    const from = clamp(way.from, 0, duration);
    const to = clamp(way.to, 0, duration);
    if (isFirst && from === seconds) return true;
    return to >= from ? from < seconds && seconds <= to : to <= seconds && seconds < from;
  }
  if (mode === PlaybackMode.repeat) return meets(seconds, duration, way);
  return meets(seconds, 2 * duration, way) || meets(2 * duration - seconds, 2 * duration, way);
}
