import * as quat from 'gl-matrix/quat';
import {
  normalize,
  type Quaternion,
  type QuaternionLike,
  readQuaternion,
  type Vector,
  type VectorLike,
} from './vectors.js';

const first: Quaternion = [0, 0, 0, 1];
const second: Quaternion = [0, 0, 0, 1];
const axis: Vector = [0, 0, 0];

/**
 * Returns a rotation about an axis, counter-clockwise seen from its tip.
 * @param direction axis of any length but 0
 * @param radians angle
 * @param out receives the result; default: a new array
 */
export function aboutAxis(
  direction: VectorLike,
  radians: number,
  out: Quaternion = [0, 0, 0, 1],
): Quaternion {
  quat.setAxisAngle(out, normalize(direction, axis), radians);
  return out;
}

/**
 * Returns a rotation about the object's own X axis, then its Y axis, then its Z axis, in radians. This is the default
 * order of three.js ('XYZ').
 * @param out receives the result; default: a new array
 */
export function fromAngles(x: number, y: number, z: number, out: Quaternion = [0, 0, 0, 1]): Quaternion {
  quat.identity(out);
  quat.rotateX(out, out, x);
  quat.rotateY(out, out, y);
  quat.rotateZ(out, out, z);
  return out;
}

/**
 * Returns the rotation that applies b first, then a. For a parent's rotation a and its child's rotation b, this is the
 * child's rotation in the space of the parent's parent.
 * @param out receives the result; default: a new array
 */
export function combine(a: QuaternionLike, b: QuaternionLike, out: Quaternion = [0, 0, 0, 1]): Quaternion {
  quat.multiply(out, readQuaternion(a, first), readQuaternion(b, second));
  return out;
}

/** Returns the inverse rotation. @param out receives the result; default: a new array */
export function inverse(rotation: QuaternionLike, out: Quaternion = [0, 0, 0, 1]): Quaternion {
  quat.invert(out, readQuaternion(rotation, first));
  return out;
}

/**
 * Interpolates from a (`share` 0) to b (1), the shorter way, at constant speed.
 * @param out receives the result; default: a new array
 */
export function mixRotations(
  a: QuaternionLike,
  b: QuaternionLike,
  share: number,
  out: Quaternion = [0, 0, 0, 1],
): Quaternion {
  quat.slerp(out, readQuaternion(a, first), readQuaternion(b, second), share);
  return out;
}
