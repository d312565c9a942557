import { describe, expect, it } from 'vitest';
import * as math from './math.js';

const X = [1, 0, 0];
const QUARTER = Math.PI / 2;

function close(actual: readonly number[], expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  actual.forEach((value, index) => {
    expect(value).toBeCloseTo(expected[index]!, 12);
  });
}

describe('fencepost/math', () => {
  it('accepts arrays and objects, and returns arrays', () => {
    expect(math.add({ x: 1, y: 2, z: 3 }, [1, 1, 1])).toEqual([2, 3, 4]);
    expect(math.subtract(new Float32Array([1, 2, 3]), [1, 1, 1])).toEqual([0, 1, 2]);
    expect(math.scale([1, 2, 3], 2)).toEqual([2, 4, 6]);
    expect(math.mix([0, 0, 0], [2, 4, 6], 0.5)).toEqual([1, 2, 3]);
    expect(math.cross(X, [0, 1, 0])).toEqual([0, 0, 1]);
    expect([math.dot([1, 2, 3], [4, 5, 6]), math.length([2, 3, 6]), math.distance(X, [1, 3, 4])]).toEqual([
      32, 7, 5,
    ]);
    expect(math.normalize([0, 0, 5])).toEqual([0, 0, 1]);
    expect(math.normalize([0, 0, 0])).toEqual([0, 0, 0]);
  });

  it.each([
    [
      () => math.add([1, 2], [1, 2, 3]),
      'A vector is three numbers, as an array or as { x, y, z }; got [1,2].',
    ],
    [() => math.length({ x: 1, y: 2 } as never), 'got {"x":1,"y":2}.'],
    [() => math.scale(undefined as never, 2), 'got undefined.'],
    [() => math.dot('abc' as never, [1, 2, 3]), 'got "abc".'],
    [
      () => math.inverse([0, 0, 1]),
      'A rotation is four numbers, as an array or as { x, y, z, w }; got [0,0,1].',
    ],
  ])('rejects invalid vectors and rotations: %#', (call, message) => {
    expect(call).toThrow(expect.objectContaining({ name: 'OptionError', code: 'option-invalid' }));
    expect(call).toThrow(message);
  });

  it('writes to the given array, which may be one of the arguments', () => {
    const place: math.Vector = [1, 2, 3];
    expect(math.add(place, place, place)).toBe(place);
    expect(place).toEqual([2, 4, 6]);
    const turn: math.Quaternion = [0, 0, 0, 1];
    expect(math.combine(turn, math.aboutAxis([0, 2, 0], QUARTER), turn)).toBe(turn);
    close(math.rotate(X, turn), [0, 0, -1]);
  });

  it('turns right-handed about the axes of the object, and back', () => {
    close(math.rotate(X, math.aboutAxis([0, 0, 3], QUARTER)), [0, 1, 0]);
    // The turn about X leaves the vector X unchanged, and moves the object's Y axis to the world's Z axis. The turn
    // about that axis then moves the vector to Y.
    close(math.rotate(X, math.fromAngles(QUARTER, QUARTER, 0)), [0, 1, 0]);
    const turn = math.fromAngles(0.3, -0.7, 1.1);
    close(math.combine(math.inverse(turn), turn), [0, 0, 0, 1]);
    close(math.rotate(X, { x: 0, y: 0, z: 2, w: 2 }), [0, 1, 0]);
  });

  it('mixes rotations the shorter way', () => {
    const half = math.mixRotations(
      [0, 0, 0, 1],
      math.aboutAxis([0, 0, 1], QUARTER).map((value) => -value),
      0.5,
    );
    close(math.rotate(X, half), [Math.SQRT1_2, Math.SQRT1_2, 0]);
  });

  it('converts angles, clamps and ramps numbers', () => {
    expect([math.radians(180), math.degrees(Math.PI)]).toEqual([Math.PI, 180]);
    expect([math.clamp(-1, 0, 1), math.clamp(0.5, 0, 1), math.clamp(2, 0, 1)]).toEqual([0, 0.5, 1]);
    expect([0, 1, 2, 3, 4].map((value) => math.ramp(value, 1, 3))).toEqual([0, 0, 0.5, 1, 1]);
    expect([1, 1.5, 2, 3].map((value) => math.ramp(value, 1, 3, true))).toEqual([0, 0.15625, 0.5, 1]);
  });
});
