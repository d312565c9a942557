import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlaybackMode, playbackSeconds } from '../../proxy/motion/clip.js';
import { passes } from './clip-cues.js';

const { once, repeat, pingPong } = PlaybackMode;

/**
 * Returns how often a clip passes `seconds`. Playback starts at the first place, and each frame ends at the next one.
 * The places do not wrap when the clip repeats.
 */
function count(mode: number, places: readonly number[], seconds: number, duration = 2): number {
  let times = 0;
  for (let step = 1; step < places.length; step++) {
    const [from, to] = [places[step - 1]!, places[step]!];
    if (passes(seconds, { duration, mode, from, to, isFirst: step === 1 })) times++;
  }
  return times;
}

describe('passes', () => {
  it('counts a time once per repetition of a repeating clip, and the beginning also when the clip starts', () => {
    const places = [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4];
    expect([0, 0.5, 0.7, 2].map((seconds) => count(repeat, places, seconds))).toEqual([3, 2, 2, 2]);
    expect(count(repeat, [...places].reverse(), 0.7)).toBe(2);
  });

  it('counts a time in both directions for a ping-pong clip, and its ends once', () => {
    const places = [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5];
    expect([0, 0.5, 1.9, 2].map((seconds) => count(pingPong, places, seconds))).toEqual([1, 2, 2, 1]);
  });

  it('counts each time once for a clip played once, both ends included', () => {
    const places = [0, 1.5, 3, 4.5];
    expect([0, 1, 2].map((seconds) => count(once, places, seconds))).toEqual([1, 1, 1]);
    expect([0, 1, 2].map((seconds) => count(once, [2, 0.5, -1, -3], seconds))).toEqual([1, 1, 1]);
    expect(count(once, [0, 1, 2], 0, 0)).toBe(1);
  });

  it('does not count a time twice when playback reverses at that time', () => {
    expect(count(repeat, [0.1, 1, 0.5], 1)).toBe(1);
    expect(count(once, [0.1, 1, 0.5], 1)).toBe(1);
  });

  it('counts a time equally often for any division into frames', () => {
    const eighths = (max: number) => fc.integer({ min: 1, max }).map((value) => value / 8);
    fc.assert(
      fc.property(
        fc.constantFrom(once, repeat, pingPong),
        eighths(16),
        fc.nat(),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 }),
        fc.boolean(),
        (mode, duration, time, steps, isBackwards) => {
          const seconds = (time % (duration * 8 + 1)) / 8;
          const sign = isBackwards ? -1 : 1;
          // A step is at most half the duration, so no frame passes a time twice in the same direction.
          const places = [0];
          const fine = [0, 0];
          for (const step of steps) {
            places.push(places.at(-1)! + sign * Math.min(step / 8, duration / 2));
            while (Math.abs(fine.at(-1)! - places.at(-1)!) > 1e-9) {
              fine.push(fine.at(-1)! + sign / 16);
            }
          }
          // The tested times are multiples of 1/8 s, so steps of 1/16 s show each of them exactly.
          const state = { mode, speed: sign, startSeconds: 0, offsetSeconds: 0 };
          const rest = { fadeStart: 0, fadeSeconds: 0, weightFrom: 1, weightTo: 1 };
          let stayed = false;
          let expected = 0;
          for (const place of fine.slice(1)) {
            const shown = playbackSeconds({ ...state, ...rest }, duration, Math.abs(place));
            // A repeating clip shows its beginning in place of its end, so `shown` is 0 at both. At the start of
            // playback, no frame has passed the end yet.
            const isThere =
              !(mode === repeat && place === 0 && seconds === duration) &&
              shown === (mode === repeat ? seconds % duration : seconds);
            if (isThere && !stayed) expected++;
            stayed = mode === once && isThere;
          }
          const both = mode === pingPong && (seconds === 0 || seconds === duration) ? 0 : 1;
          const counted = count(mode, places, seconds, duration);
          // A time passed in both directions within one frame is counted once.
          if (mode === pingPong && both) expect(counted).toBeLessThanOrEqual(expected);
          else expect(counted).toBe(expected);
          expect(count(mode, fine, seconds, duration)).toBe(expected);
        },
      ),
    );
  });
});
