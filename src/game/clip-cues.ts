/** When a clip passes a time on its way: forwards, backwards, over its end and back again. */
import { PlaybackMode } from '../proxy/clip.js';

/** A function that is called when a clip passes a time. */
export interface ClipCue {
  /** In the clip. */
  readonly seconds: number;
  readonly listener: () => void;
}

/** The way of a clip in a frame, in seconds that go on rising where it repeats. */
export interface ClipWay {
  readonly duration: number;
  /** `PlaybackMode`. */
  readonly mode: number;
  readonly from: number;
  readonly to: number;
  /** Whether `from` counts: nobody has been told of it. */
  readonly isFirst: boolean;
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
  const { duration, mode } = way;
  if (mode === PlaybackMode.once || duration === 0) {
    // Its time stops at both ends, where an endless period never comes to anything again.
    const clamp = (time: number): number => Math.min(Math.max(time, 0), duration);
    const [from, to] = [clamp(way.from), clamp(way.to)];
    if (way.isFirst && from === seconds) return true;
    return to >= from ? from < seconds && seconds <= to : to <= seconds && seconds < from;
  }
  if (mode === PlaybackMode.repeat) return meets(seconds, duration, way);
  return meets(seconds, 2 * duration, way) || meets(2 * duration - seconds, 2 * duration, way);
}
