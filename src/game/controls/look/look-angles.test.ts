import { describe, expect, it } from 'vitest';
import { anglesOf, axesOf, rotationOf, turnLook } from './look-angles.js';

const rotation = ([x, y, z, w]: readonly [number, number, number, number]) => ({ x, y, z, w });

/** Returns a vector turned by a quaternion. */
function turned([qx, qy, qz, qw]: readonly number[], [x, y, z]: readonly number[]): number[] {
  const t = [2 * (qy! * z! - qz! * y!), 2 * (qz! * x! - qx! * z!), 2 * (qx! * y! - qy! * x!)];
  return [
    x! + qw! * t[0]! + qy! * t[2]! - qz! * t[1]!,
    y! + qw! * t[1]! + qz! * t[0]! - qx! * t[2]!,
    z! + qw! * t[2]! + qx! * t[1]! - qy! * t[0]!,
  ];
}

describe('angles of a look', () => {
  it.each([
    [0, 0, 0],
    [0.5, -1.2, 0],
    [-3, 1.4, 0.7],
    [2, 0.3, -3],
  ])('become a rotation and come back: %s %s %s', (yaw, pitch, roll) => {
    const angles = anglesOf(rotation(rotationOf({ yaw, pitch, roll })));
    expect(angles.yaw).toBeCloseTo(yaw, 9);
    expect(angles.pitch).toBeCloseTo(pitch, 9);
    expect(angles.roll).toBeCloseTo(roll, 9);
  });

  it('keep their direction at a pole, and forget tiny rolls', () => {
    for (const pitch of [Math.PI / 2, -Math.PI / 2]) {
      const angles = anglesOf(rotation(rotationOf({ yaw: 0.8, pitch, roll: 0 })));
      expect([angles.yaw, angles.pitch, angles.roll]).toEqual([
        expect.closeTo(0.8, 6),
        expect.closeTo(pitch, 6),
        0,
      ]);
    }
    expect(anglesOf(rotation(rotationOf({ yaw: 1, pitch: 0.2, roll: 5e-5 }))).roll).toBe(0);
  });

  it('have the axes of their rotation', () => {
    const angles = { yaw: 0.7, pitch: -0.4, roll: 0 };
    const { right, up, forward } = axesOf(angles);
    const quaternion = rotationOf(angles);
    for (const [axis, local] of [
      [right, [1, 0, 0]],
      [up, [0, 1, 0]],
      [forward, [0, 0, -1]],
    ] as const) {
      expect(axis).toEqual(turned(quaternion, local).map((value) => expect.closeTo(value, 12)));
    }
  });

  it('stay short of the poles, but do not jump away from them', () => {
    const angles = { yaw: 0, pitch: 0, roll: 0 };
    turnLook(angles, 7, 9);
    expect([angles.yaw, angles.pitch]).toEqual([7, Math.PI / 2 - 0.01]);
    angles.pitch = -Math.PI / 2;
    turnLook(angles, 0, -1);
    expect(angles.pitch).toBe(-Math.PI / 2);
    turnLook(angles, 0, 0.5);
    expect(angles.pitch).toBeCloseTo(0.5 - Math.PI / 2, 12);
  });
});
