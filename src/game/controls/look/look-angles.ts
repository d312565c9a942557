/**
 * A camera's rotation as three angles in radians, as in an aircraft: first `yaw` about +Y, positive to the left, then
 * `pitch`, positive upwards, then `roll` about the direction of view.
 */
import type { Triple } from '../../transforms/triples.js';

export interface LookAngles {
  yaw: number;
  pitch: number;
  roll: number;
}

interface Rotation {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** Least angle to a pole in radians, because left and right have no meaning at a pole. */
const POLE_MARGIN = 0.01;
const STEEPEST = Math.PI / 2 - POLE_MARGIN;
/** Rolls below this angle are errors of 32-bit numbers, which would add up. */
const LEAST_ROLL = 1e-4;

/** Returns the angles of a rotation. At a pole, the roll counts as yaw. */
export function anglesOf({ x, y, z, w }: Rotation): LookAngles {
  const pitch = Math.asin(Math.min(Math.max(2 * (w * x - y * z), -1), 1));
  // At a pole, both sine and cosine of the other formulas are 0.
  if (Math.cos(pitch) < 1e-3) {
    return { yaw: Math.atan2(2 * (w * y - x * z), 1 - 2 * (y * y + z * z)), pitch, roll: 0 };
  }
  const roll = Math.atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z));
  return {
    yaw: Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)),
    pitch,
    roll: Math.abs(roll) < LEAST_ROLL ? 0 : roll,
  };
}

/** Returns the quaternion x, y, z, w of some angles. */
export function rotationOf({ yaw, pitch, roll }: LookAngles): [number, number, number, number] {
  const [sy, cy] = [Math.sin(yaw / 2), Math.cos(yaw / 2)];
  const [sp, cp] = [Math.sin(pitch / 2), Math.cos(pitch / 2)];
  const [sr, cr] = [Math.sin(roll / 2), Math.cos(roll / 2)];
  return [
    cy * sp * cr + sy * cp * sr,
    sy * cp * cr - cy * sp * sr,
    cy * cp * sr - sy * sp * cr,
    cy * cp * cr + sy * sp * sr,
  ];
}

/** Turns by some radians, left and up. Pitch stops at `STEEPEST`, or at the current pitch if that is steeper. */
export function turnLook(angles: LookAngles, left: number, up: number): void {
  const limit = Math.max(STEEPEST, Math.abs(angles.pitch));
  angles.yaw += left;
  angles.pitch = Math.min(Math.max(angles.pitch + up, -limit), limit);
}

/** Returns the unit vectors right, up and forward of the camera, without its roll. */
export function axesOf({ yaw, pitch }: LookAngles): { right: Triple; up: Triple; forward: Triple } {
  const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  return { right: [cy, 0, -sy], up: [sp * sy, cp, sp * cy], forward: [-cp * sy, sp, -cp * cy] };
}
