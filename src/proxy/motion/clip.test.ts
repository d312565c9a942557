import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDifference,
  addToPose,
  type ClipData,
  clearPose,
  createPose,
  finishPose,
  PATH_SIZES,
  PlaybackMode,
  type PlaybackState,
  playbackEnd,
  playbackSeconds,
  playbackWeight,
  sampleTrack,
} from './clip.js';
import { ClipPath, pathWord } from './clip-tracks.js';
import { Interpolation } from './interpolate.js';

const playing = (changes: Partial<PlaybackState> = {}): PlaybackState => ({
  startSeconds: 10,
  offsetSeconds: 0,
  speed: 1,
  mode: PlaybackMode.repeat,
  fadeStart: 10,
  fadeSeconds: 0,
  weightFrom: 1,
  weightTo: 1,
  ...changes,
});

function clipOf(path: number, interpolation: number, times: number[], values: number[]): ClipData {
  return {
    duration: times.at(-1) as number,
    tracks: new Uint32Array([
      pathWord(path, PATH_SIZES[path as 0]),
      interpolation,
      times.length,
      0,
      times.length,
    ]),
    floats: new Float32Array([...times, ...values]),
  };
}

describe('the time of a playback', () => {
  it('stays within the clip at any speed and in any mode', () => {
    const numbers = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        numbers,
        numbers,
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.nat(2),
        (speed, time, offset, mode) => {
          const seconds = playbackSeconds(playing({ speed, mode, offsetSeconds: offset }), 3, time);
          expect(seconds).toBeGreaterThanOrEqual(0);
          expect(seconds).toBeLessThanOrEqual(3);
        },
      ),
    );
  });

  it('equals the offset before the start, and at speed 0', () => {
    expect(playbackSeconds(playing({ offsetSeconds: 0.5 }), 2, 3)).toBe(0.5);
    expect(playbackSeconds(playing({ offsetSeconds: 2, speed: 0 }), 2, 99)).toBe(2);
    expect(playbackSeconds(playing(), 0, 99)).toBe(0);
  });

  it('with an offset past the end equals the time after playing that long, at any speed including 0', () => {
    const { repeat, once, pingPong } = PlaybackMode;
    const at = (mode: number, offsetSeconds: number) =>
      [0, 1e-9, -1e-9].map((speed) => playbackSeconds(playing({ mode, speed, offsetSeconds }), 2, 11));
    const about = (seconds: number) => Array(3).fill(expect.closeTo(seconds, 8));
    expect(at(repeat, 5)).toEqual(about(1));
    expect(at(once, 5)).toEqual(about(2));
    expect(at(pingPong, 5)).toEqual(about(1));
    expect(at(pingPong, 3.5)).toEqual(about(0.5));
  });

  it('does not change after the end', () => {
    const modes = fc.constantFrom(PlaybackMode.once, PlaybackMode.repeat, PlaybackMode.pingPong);
    const some = fc.double({ min: -4, max: 4, noNaN: true });
    fc.assert(
      fc.property(modes, some, fc.double({ min: 0, max: 2, noNaN: true }), (mode, speed, fadeSeconds) => {
        const state = playing({ mode, speed, fadeSeconds, weightFrom: 0, offsetSeconds: 1 });
        const end = playbackEnd(state, 2);
        if (end === Number.POSITIVE_INFINITY) return;
        const later = end + 1e-6;
        expect(playbackWeight(state, later)).toBe(1);
        expect(playbackSeconds(state, 2, later)).toBeCloseTo(playbackSeconds(state, 2, later + 50), 5);
      }),
    );
  });
});

describe('the value of a track', () => {
  const out = new Float32Array(4);

  it('is the same from any cursor', () => {
    const times = [0, 0.25, 1, 1.5, 4];
    const clip = clipOf(
      ClipPath.position,
      Interpolation.linear,
      times,
      times.flatMap((time) => [time, -time, 1]),
    );
    fc.assert(
      fc.property(fc.double({ min: -1, max: 5, noNaN: true }), fc.nat(9), (time, cursor) => {
        const key = sampleTrack(clip, 0, time, cursor, out);
        const clamped = Math.min(Math.max(time, 0), 4);
        expect(out[0]).toBeCloseTo(clamped, 5);
        expect(out[1]).toBeCloseTo(-clamped, 5);
        expect(times[key] as number).toBeLessThanOrEqual(Math.max(time, 0));
      }),
    );
  });

  it('jumps at step keys, and passes through cubic keys with their tangents', () => {
    const step = clipOf(ClipPath.scale, Interpolation.step, [0, 1], [1, 1, 1, 2, 3, 4]);
    sampleTrack(step, 0, 0.999, 0, out);
    expect([...out.subarray(0, 3)]).toEqual([1, 1, 1]);
    const cubic = clipOf(
      ClipPath.position,
      Interpolation.cubic,
      [0, 2],
      [0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0],
    );
    sampleTrack(cubic, 0, 0, 0, out);
    expect(out[0]).toBe(1);
    sampleTrack(cubic, 0, 1, 0, out);
    // Appendix C.5 of glTF, halfway: (1 + 3) / 2 + 2 · (4 − 0) / 8.
    expect(out[0]).toBeCloseTo(3, 6);
    sampleTrack(cubic, 0, 9, 0, out);
    expect(out[0]).toBe(3);
  });
});

describe('a pose', () => {
  const rest = new Float64Array([9, 9, 9, 0, 0, 0, 1, 1, 1, 1]);

  it('equals the rest pose without playbacks, and exactly the value of one playback at full weight', () => {
    const pose = createPose();
    finishPose(pose, rest);
    expect([...pose.values]).toEqual([...rest]);
    clearPose(pose);
    const value = new Float32Array([0.1, 0.2, 0.3]);
    addToPose(pose, ClipPath.position, value, 0, 1);
    finishPose(pose, rest);
    expect([...pose.values.subarray(0, 3)]).toEqual([...value]);
  });

  it('keeps the 64-bit numbers of the rest pose in parts that no clip drives', () => {
    const far = Float64Array.of(6_400_000.03, 0, 0, 0, 0, 0, 1, 1, 1, 1);
    const pose = createPose();
    addToPose(pose, ClipPath.rotation, Float32Array.of(0, 1, 0, 0), 0, 1);
    finishPose(pose, far);
    expect(pose.values[0]).toBe(6_400_000.03);
  });

  it('has unit rotations after any mix', () => {
    const quaternion = fc
      .tuple(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
      )
      .map(([x, y, w]) => {
        const length = Math.hypot(x, y, w);
        return new Float32Array([x / length, y / length, 0, w / length]);
      });
    const weight = fc.double({ min: 0.01, max: 3, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(quaternion, weight), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (parts, isNegated) => {
          const pose = createPose();
          for (const [value, share] of parts) {
            const signed = isNegated ? value.map((each) => -each) : value;
            addToPose(pose, ClipPath.rotation, signed as Float32Array, 0, share);
          }
          finishPose(pose, rest);
          expect(Math.hypot(...pose.values.subarray(3, 7))).toBeCloseTo(1, 5);
        },
      ),
    );
  });

  it('adds differences of rotation, position and scale', () => {
    const pose = createPose();
    finishPose(pose, rest);
    const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
    const value = new Float32Array(quarter);
    addDifference(pose, ClipPath.rotation, value, new Float32Array([0, 0, 0, 1]), 1);
    for (const [index, each] of quarter.entries()) expect(pose.values[3 + index]).toBeCloseTo(each, 6);
    addDifference(pose, ClipPath.position, new Float32Array([5, 6, 7]), new Float32Array([5, 5, 5]), 0.5);
    expect([...pose.values.subarray(0, 3)]).toEqual([9, 9.5, 10]);
    addDifference(pose, ClipPath.scale, new Float32Array([4, 2, 2]), new Float32Array([2, 2, 2]), 0.5);
    expect([...pose.values.subarray(7)]).toEqual([1.5, 1, 1]);
  });
});
