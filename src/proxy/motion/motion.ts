/**
 * Declared motion: a movement of an actor or a material that starts at a moment of scene time. It consists of plain
 * numbers and a pure function of time. The game evaluates the function when a value is read, the render thread when it
 * draws. Both threads run this code on the same numbers of 64 bits, so their results agree bit by bit.
 *
 *   declareMotion { target, id, kind, startSeconds, parameters }
 *   values at scene time t = evaluate(parameters, t − startSeconds, …)      only the values that the kind drives
 *
 * Values are the ten numbers of a transform (position, rotation, scale) or the floats of a material.
 */
import type { Numbers } from '../transform-array.js';

/** Values of the `kind` field. The files of the evaluators describe the parameters of each kind. */
export const MotionKind = { spin: 0, orbit: 1, keyframes: 2, follow: 3 } as const;

/** Values of the `target` field: the kind of object that `id` names. */
export const MotionTarget = { node: 0, material: 1 } as const;

/**
 * Writes the values that a motion drives into `out`, and leaves other values unchanged. Runs per frame and moved
 * object, and allocates nothing.
 *
 * @param elapsed seconds since the motion's start; less than 0 counts as 0
 * @param at index in `out` of the target's first number
 */
export type EvaluateMotion = (parameters: Float64Array, elapsed: number, out: Numbers, at: number) => void;

/** Offsets of a transform's parts, in numbers. */
export const POSITION = 0;
export const ROTATION = 3;
export const SCALE = 7;

/**
 * Number of parameters of a spin, in this order: axis (unit length, in the actor's space); radians per second; rotation
 * at the start.
 */
export const SPIN_PARAMETERS = 8;

/** Writes rotation(t) = rotation(0) · turn(axis, rate · t), a turn about the actor's own axis. */
export const evaluateSpin: EvaluateMotion = (parameters, elapsed, out, at) => {
  const half = (parameters[3] as number) * Math.max(elapsed, 0) * 0.5;
  const s = Math.sin(half);
  const ax = (parameters[0] as number) * s;
  const ay = (parameters[1] as number) * s;
  const az = (parameters[2] as number) * s;
  const aw = Math.cos(half);
  const x = parameters[4] as number;
  const y = parameters[5] as number;
  const z = parameters[6] as number;
  const w = parameters[7] as number;
  const to = at + ROTATION;
  out[to] = w * ax + x * aw + y * az - z * ay;
  out[to + 1] = w * ay - x * az + y * aw + z * ax;
  out[to + 2] = w * az + x * ay - y * ax + z * aw;
  out[to + 3] = w * aw - x * ax - y * ay - z * az;
};

/**
 * Number of parameters of an orbit, in this order: centre (metres) and axis (unit length), both in the parent's space;
 * radians per second; 1 if the actor turns along, else 0; position and rotation at the start.
 */
export const ORBIT_PARAMETERS = 15;

/**
 * Writes position(t) = centre + turn(axis, rate · t) · (position(0) − centre). If the actor turns along, also writes
 * rotation(t) = turn(axis, rate · t) · rotation(0).
 */
export const evaluateOrbit: EvaluateMotion = (parameters, elapsed, out, at) => {
  const angle = (parameters[6] as number) * Math.max(elapsed, 0);
  const ux = parameters[3] as number;
  const uy = parameters[4] as number;
  const uz = parameters[5] as number;
  const rx = (parameters[8] as number) - (parameters[0] as number);
  const ry = (parameters[9] as number) - (parameters[1] as number);
  const rz = (parameters[10] as number) - (parameters[2] as number);
  // Rodrigues: r cos + (u × r) sin + u (u · r)(1 − cos)
  const s = Math.sin(angle);
  const c = Math.cos(angle);
  const along = (ux * rx + uy * ry + uz * rz) * (1 - c);
  out[at] = (parameters[0] as number) + rx * c + (uy * rz - uz * ry) * s + ux * along;
  out[at + 1] = (parameters[1] as number) + ry * c + (uz * rx - ux * rz) * s + uy * along;
  out[at + 2] = (parameters[2] as number) + rz * c + (ux * ry - uy * rx) * s + uz * along;
  if (parameters[7] === 0) return;
  const halfSine = Math.sin(angle * 0.5);
  const ax = ux * halfSine;
  const ay = uy * halfSine;
  const az = uz * halfSine;
  const aw = Math.cos(angle * 0.5);
  const x = parameters[11] as number;
  const y = parameters[12] as number;
  const z = parameters[13] as number;
  const w = parameters[14] as number;
  const to = at + ROTATION;
  out[to] = aw * x + ax * w + ay * z - az * y;
  out[to + 1] = aw * y - ax * z + ay * w + az * x;
  out[to + 2] = aw * z + ax * y - ay * x + az * w;
  out[to + 3] = aw * w - ax * x - ay * y - az * z;
};
