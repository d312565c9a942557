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
 * About an axis, counter-clockwise seen from its tip.
 * @param direction of any length but 0 @param out receives the result; default: a new array
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
 * About the object's own X axis, then its Y axis, then its Z axis, in radians: as three.js has it by default ('XYZ').
 * @param out receives the result; default: a new array
 */
export function fromAngles(x: number, y: number, z: number, out: Quaternion = [0, 0, 0, 1]): Quaternion {
  quat.identity(out);
  quat.rotateX(out, out, x);
  quat.rotateY(out, out, y);
  quat.rotateZ(out, out, z);
  return out;
}

/** First b, then a: where a is a parent's rotation, b is the child's. @param out receives the result; default: a new array */
export function combine(a: QuaternionLike, b: QuaternionLike, out: Quaternion = [0, 0, 0, 1]): Quaternion {
  quat.multiply(out, readQuaternion(a, first), readQuaternion(b, second));
  return out;
}

/** The same way back. @param out receives the result; default: a new array */
export function inverse(rotation: QuaternionLike, out: Quaternion = [0, 0, 0, 1]): Quaternion {
  quat.invert(out, readQuaternion(rotation, first));
  return out;
}

/** From a (`share` 0) to b (1), the shorter way, at an even pace. @param out receives the result; default: a new array */
export function mixRotations(
  a: QuaternionLike,
  b: QuaternionLike,
  share: number,
  out: Quaternion = [0, 0, 0, 1],
): Quaternion {
  quat.slerp(out, readQuaternion(a, first), readQuaternion(b, second), share);
  return out;
}
