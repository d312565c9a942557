import * as quat from 'gl-matrix/quat';
import * as vec3 from 'gl-matrix/vec3';
import { OptionError } from '../errors.js';

/** A vector in any accepted form: an array of three numbers, a vector of an actor, or an object with x, y and z. */
export type VectorLike = ArrayLike<number> | { readonly x: number; readonly y: number; readonly z: number };

/** A rotation in any accepted form: an array of four numbers, an actor's rotation, or an object with x, y, z and w. */
export type QuaternionLike =
  | ArrayLike<number>
  | { readonly x: number; readonly y: number; readonly z: number; readonly w: number };

export type Vector = [x: number, y: number, z: number];
export type Quaternion = [x: number, y: number, z: number, w: number];

const first: Vector = [0, 0, 0];
const second: Vector = [0, 0, 0];
const turn: Quaternion = [0, 0, 0, 1];

/** Copies a vector to `out`. @throws OptionError `option-invalid` for fewer than three numbers */
function readVector(value: VectorLike, out: Vector): Vector {
  const isObject = hasMembers(value, 3);
  out[0] = isObject ? value.x : (value[0] as number);
  out[1] = isObject ? value.y : (value[1] as number);
  out[2] = isObject ? value.z : (value[2] as number);
  return out;
}

/** Copies a rotation to `out`. @throws OptionError `option-invalid` for fewer than four numbers */
export function readQuaternion(value: QuaternionLike, out: Quaternion): Quaternion {
  const isObject = hasMembers(value, 4);
  readVector(value, out as unknown as Vector);
  out[3] = isObject ? (value as { readonly w: number }).w : (value[3] as number);
  return out;
}

/**
 * Returns whether the numbers are the members x, y, z instead of elements.
 * @throws OptionError `option-invalid` if the value has neither
 */
function hasMembers<T extends object>(value: T | ArrayLike<number>, count: 3 | 4): value is T {
  if (typeof value === 'object' && value !== null) {
    if (count === 3 ? 'x' in value && 'y' in value && 'z' in value : 'w' in value) return true;
    if ('length' in value && value.length >= count) return false;
  }
  const kind = count === 3 ? 'A vector is three numbers' : 'A rotation is four numbers';
  const members = count === 3 ? '{ x, y, z }' : '{ x, y, z, w }';
  throw new OptionError(
    'option-invalid',
    `${kind}, as an array or as ${members}; got ${JSON.stringify(value)}.`,
  );
}

/** Returns a + b. @param out receives the result; default: a new array */
export function add(a: VectorLike, b: VectorLike, out: Vector = [0, 0, 0]): Vector {
  vec3.add(out, readVector(a, first), readVector(b, second));
  return out;
}

/** Returns a − b. @param out receives the result; default: a new array */
export function subtract(a: VectorLike, b: VectorLike, out: Vector = [0, 0, 0]): Vector {
  vec3.subtract(out, readVector(a, first), readVector(b, second));
  return out;
}

/** Returns the vector multiplied by `factor`. @param out receives the result; default: a new array */
export function scale(vector: VectorLike, factor: number, out: Vector = [0, 0, 0]): Vector {
  vec3.scale(out, readVector(vector, first), factor);
  return out;
}

export function dot(a: VectorLike, b: VectorLike): number {
  return vec3.dot(readVector(a, first), readVector(b, second));
}

/**
 * Returns the right-handed cross product a × b, which is perpendicular to both.
 * @param out receives the result; default: a new array
 */
export function cross(a: VectorLike, b: VectorLike, out: Vector = [0, 0, 0]): Vector {
  vec3.cross(out, readVector(a, first), readVector(b, second));
  return out;
}

export function length(vector: VectorLike): number {
  return vec3.length(readVector(vector, first));
}

/** Returns the distance between two positions. */
export function distance(a: VectorLike, b: VectorLike): number {
  return vec3.distance(readVector(a, first), readVector(b, second));
}

/**
 * Returns the vector scaled to length 1; a vector of length 0 is unchanged.
 * @param out receives the result; default: a new array
 */
export function normalize(vector: VectorLike, out: Vector = [0, 0, 0]): Vector {
  vec3.normalize(out, readVector(vector, first));
  return out;
}

/**
 * Interpolates from a (`share` 0) to b (1), in a straight line.
 * @param out receives the result; default: a new array
 */
export function mix(a: VectorLike, b: VectorLike, share: number, out: Vector = [0, 0, 0]): Vector {
  vec3.lerp(out, readVector(a, first), readVector(b, second), share);
  return out;
}

/**
 * Returns the vector rotated by a quaternion, which is normalized first.
 * @param out receives the result; default: a new array
 */
export function rotate(vector: VectorLike, rotation: QuaternionLike, out: Vector = [0, 0, 0]): Vector {
  readQuaternion(rotation, turn);
  quat.normalize(turn, turn);
  vec3.transformQuat(out, readVector(vector, first), turn);
  return out;
}
