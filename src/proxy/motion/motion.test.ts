import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateOrbit, evaluateSpin, ORBIT_PARAMETERS, SPIN_PARAMETERS } from './motion.js';
import { evaluateFollow, followSeconds, placeOrbiting } from './motion-follow.js';
import { evaluateKeyframes, keyframesSeconds } from './motion-keyframes.js';

/** Returns a transform at (1, 2, 3) without rotation or scale. */
const place = (): Float64Array => Float64Array.of(1, 2, 3, 0, 0, 0, 1, 1, 1, 1);

const spinParameters = (axis: number[], rate: number, rotation = [0, 0, 0, 1]): Float64Array => {
  const parameters = new Float64Array(SPIN_PARAMETERS);
  parameters.set([...axis, rate, ...rotation]);
  return parameters;
};

const orbitParameters = (
  center: number[],
  axis: number[],
  rate: number,
  turnsAlong: boolean,
  from: Float64Array,
): Float64Array => {
  const parameters = new Float64Array(ORBIT_PARAMETERS);
  parameters.set([...center, ...axis, rate, turnsAlong ? 1 : 0, ...from.subarray(0, 7)]);
  return parameters;
};

const close = (actual: ArrayLike<number>, expected: readonly number[], digits = 5): void => {
  expected.forEach((value, index) => {
    expect(actual[index], `float ${index}`).toBeCloseTo(value, digits);
  });
};

const unit = fc
  .tuple(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
  )
  .filter((axis) => Math.hypot(...axis) > 0.01)
  .map((axis) => axis.map((value) => value / Math.hypot(...axis)));

describe('spin', () => {
  it('turns by rate times time about its axis, and changes nothing else', () => {
    const out = place();
    evaluateSpin(spinParameters([0, 1, 0], 0.5), 2, out, 0);
    close(out, [1, 2, 3, 0, Math.sin(0.5), 0, Math.cos(0.5), 1, 1, 1]);
  });

  it("turns about the actor's own axis after its rotation", () => {
    const quarter = Math.SQRT1_2;
    const out = place();
    // After a quarter turn about X, the actor's Y axis is the world's Z axis.
    evaluateSpin(spinParameters([0, 1, 0], Math.PI, [quarter, 0, 0, quarter]), 1, out, 0);
    close(out.subarray(3), [0, quarter, quarter, 0]);
  });

  it('keeps the first rotation before its start and after any whole turn', () => {
    fc.assert(
      fc.property(unit, fc.integer({ min: 0, max: 1000 }), (axis, turns) => {
        const parameters = spinParameters(axis, 1);
        const [early, late] = [place(), place()];
        evaluateSpin(parameters, -1, early, 0);
        evaluateSpin(parameters, turns * 4 * Math.PI, late, 0);
        close(early.subarray(3, 7), [0, 0, 0, 1]);
        close(late.subarray(3, 7), [0, 0, 0, 1]);
      }),
    );
  });
});

describe('orbit', () => {
  it('keeps its distance from the centre, also along the axis', () => {
    fc.assert(
      fc.property(
        unit,
        fc.double({ min: -10, max: 10, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (axis, rate, time) => {
          const center = [3, -1, 2];
          const out = place();
          evaluateOrbit(orbitParameters(center, axis, rate, false, place()), time, out, 0);
          const before = [1, 2, 3].map((value, index) => value - center[index]!);
          const after = center.map((value, index) => out[index]! - value);
          expect(Math.hypot(...after)).toBeCloseTo(Math.hypot(...before), 4);
          const along = (v: number[]): number =>
            v.reduce((sum, value, index) => sum + value * axis[index]!, 0);
          expect(along(after)).toBeCloseTo(along(before), 4);
          expect(Array.from(out.subarray(3))).toEqual(Array.from(place().subarray(3)));
        },
      ),
    );
  });

  it('moves counter-clockwise if the axis points at the viewer, and turns the actor along on request', () => {
    const out = Float64Array.of(2, 5, 0, 0, 0, 0, 1, 1, 1, 1);
    const from = Float64Array.from(out);
    evaluateOrbit(orbitParameters([0, 0, 0], [0, 1, 0], Math.PI / 2, true, from), 1, out, 0);
    close(out, [0, 5, -2, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 1, 1, 1]);
  });
});

describe('keyframes', () => {
  /** Returns keyframes with one channel, by default position x, at 1 s, 2 s and 4 s. */
  const clip = (interpolation: number, loop: number, values: number[], size = 1, offset = 0, rotation = 0) =>
    Float64Array.from([interpolation, loop, 3, 1, offset, size, rotation, 1, 2, 4, ...values]);
  const at = (parameters: Float64Array, time: number, index = 0): number => {
    const out = place();
    evaluateKeyframes(parameters, time, out, 0);
    return out[index]!;
  };

  it('linear: interpolates between the keys, and keeps the outer values before and after them', () => {
    const parameters = clip(0, 0, [10, 20, 0]);
    expect([0, 1, 1.25, 2, 3, 4, 9].map((time) => at(parameters, time))).toEqual([
      10, 10, 12.5, 20, 10, 0, 0,
    ]);
    expect(keyframesSeconds(parameters)).toBe(4);
  });

  it('step: keeps the earlier value until the next key', () => {
    expect([0, 1, 1.99, 2, 3.9, 4].map((time) => at(clip(1, 0, [10, 20, 0]), time))).toEqual([
      10, 10, 10, 20, 20, 0,
    ]);
  });

  it('loop: restarts after the last time, indefinitely', () => {
    const parameters = clip(0, 1, [10, 20, 0]);
    expect(keyframesSeconds(parameters)).toBe(Infinity);
    for (const time of [0, 0.5, 1.5, 3, 3.75]) {
      expect(at(parameters, time + 8)).toBe(at(parameters, time));
    }
    expect(at(parameters, 4)).toBe(10);
  });

  it("cubic: follows glTF's Hermite spline, which passes through the keys", () => {
    // Each key has an in-tangent, a value and an out-tangent.
    const parameters = clip(2, 0, [0, 10, 2, 4, 20, 6, 8, 0, 0]);
    expect([1, 2, 4].map((time) => at(parameters, time))).toEqual([10, 20, 0]);
    // Halfway between the keys at 2 s and 4 s, which are 2 s apart: (v0 + v1) / 2 + 2 (out − in) / 8.
    expect(at(parameters, 3)).toBeCloseTo(10 + (2 * (6 - 8)) / 8, 6);
  });

  it('rotations: turn at constant speed along the shorter arc, with unit length', () => {
    const turn = (angle: number): number[] => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
    // The last key is a rotation by 1.5 rad, as the negated quaternion.
    const last = turn(1.5).map((value) => -value);
    const parameters = clip(0, 0, [...turn(0), ...turn(1), ...last], 4, 3, 1);
    for (const [time, angle] of [
      [1.3, 0.3],
      [3, 1.25],
    ] as const) {
      const out = place();
      evaluateKeyframes(parameters, time, out, 0);
      const sign = Math.sign(out[6]!);
      close(
        out.subarray(3, 7).map((value) => value * sign),
        turn(angle),
      );
      close(out, [1, 2, 3]);
    }
    const same = clip(0, 0, [...turn(1), ...turn(1), ...turn(1)], 4, 3, 1);
    expect(at(same, 1.5, 4)).toBeCloseTo(Math.sin(0.5), 6);
  });

  it('a single key applies at all times', () => {
    expect(at(Float64Array.from([0, 0, 1, 1, 0, 1, 0, 2, 7]), 1)).toBe(7);
    expect(at(Float64Array.from([2, 1, 1, 1, 0, 1, 0, 2, 0, 7, 0]), 100)).toBe(7);
  });

  it('finds the key of any time, like a linear search', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 1000 }),
        (gaps, moment) => {
          let sum = 0;
          const times = gaps.map((gap) => {
            sum += gap;
            return sum;
          });
          const time = (moment / 1000) * (sum + 2);
          const parameters = Float64Array.from([1, 0, times.length, 1, 0, 1, 0, ...times, ...times.keys()]);
          const walked = Math.max(0, times.filter((each) => each <= time).length - 1);
          expect(at(parameters, time)).toBe(walked);
        },
      ),
    );
  });
});

describe('follow', () => {
  const pose = [1, 2, 3, 0.5, 1.2, 6];
  const goal = [2, 2, 1, 1.5, 0.9, 4];
  const parameters = (damping: number, rate = 0): Float64Array =>
    Float64Array.from([...pose, ...goal, damping, rate]);

  it('leaves the camera unchanged at its start, and ends', () => {
    const out = place();
    evaluateFollow(parameters(0.1), 0, out, 0);
    expect(out).toEqual(place());
    const end = followSeconds(parameters(0.1));
    expect(end).toBeGreaterThan(0.5);
    expect(end).toBeLessThan(2);
    evaluateFollow(parameters(0.1), end, out, 0);
    const there = place();
    placeOrbiting(goal, there, 0);
    close(out, Array.from(there), 3);
    expect(followSeconds(Float64Array.from([...goal, ...goal, 0.1, 0]))).toBe(0);
    expect(followSeconds(parameters(0.1, 0.8))).toBe(Infinity);
  });

  it('takes the same time for a turn at any distance', () => {
    const turn = (distance: number): number =>
      followSeconds(Float64Array.from([0, 0, 0, 0.5, 1, distance, 0, 0, 0, 1.5, 1, distance, 0.1, 0]));
    expect(turn(1)).toBeGreaterThan(0.5);
    expect(turn(1e7)).toBe(turn(1));
  });

  it('reaches the goal at once without damping', () => {
    const [out, there] = [place(), place()];
    evaluateFollow(parameters(0), 0.001, out, 0);
    placeOrbiting(goal, there, 0);
    close(out, Array.from(there));
  });
});
