/**
 * A camera that follows a goal around a target: the damped motion of the orbit controls in closed form. The render
 * thread can continue it from any moment.
 *
 *   pose = target x y z (metres), azimuth, polar (radians), distance (metres)
 *   rest(t) = rest(0) · exp(−t / damping)                   rest = goal − pose, for each of the six numbers
 *   turning goal, azimuth only, rate r: lag(t) = r·damping + (lag(0) − r·damping) · exp(−t / damping)
 */
import type { Numbers } from '../transform-array.js';
import type { EvaluateMotion } from './motion.js';
import { POSITION, ROTATION } from './motion.js';

/** Number of parameters: first pose, goal, damping in seconds, and turn of the goal in radians per second. */
export const FOLLOW_PARAMETERS = 14;
export const POSE_NUMBERS = 6;

const AZIMUTH = 3;
const POLAR = 4;
const DISTANCE = 5;

/** Maximum distance of a still camera from its goal, as a share of the camera's distance from the target. */
const STILL = 1e-5;

/**
 * Returns the limit below which the difference between a number of the pose and of the goal counts as still: radians
 * for angles, metres for lengths. An angle in radians moves the camera by that share of its distance.
 */
export const stillLimit = (index: number, distance: number): number =>
  index === AZIMUTH || index === POLAR ? STILL : STILL * distance;

/** Returns exp(−seconds / damping), the share of a movement that remains. Without damping nothing remains. */
export const remainingShare = (seconds: number, damping: number): number =>
  damping > 0 ? Math.exp(-seconds / damping) : 0;

/** Returns the seconds until a camera stands still, or Infinity when its goal turns. */
export function followSeconds(parameters: Float64Array): number {
  if (parameters[13] !== 0) return Number.POSITIVE_INFINITY;
  const distance = parameters[POSE_NUMBERS + DISTANCE] as number;
  let limits = 1;
  for (let index = 0; index < POSE_NUMBERS; index++) {
    const rest = Math.abs((parameters[POSE_NUMBERS + index] as number) - (parameters[index] as number));
    limits = Math.max(limits, rest / stillLimit(index, distance));
  }
  return (parameters[12] as number) * Math.log(limits);
}

const pose = /* @__PURE__ */ new Float64Array(POSE_NUMBERS);

export const evaluateFollow: EvaluateMotion = (parameters, elapsed, out, at) => {
  // At the start, the camera already has the exact position that the game has set.
  if (elapsed <= 0) return;
  const damping = parameters[12] as number;
  const rate = parameters[13] as number;
  const left = remainingShare(elapsed, damping);
  for (let index = 0; index < POSE_NUMBERS; index++) {
    const goal = parameters[POSE_NUMBERS + index] as number;
    pose[index] = goal - (goal - (parameters[index] as number)) * left;
  }
  // The goal turns by rate · elapsed. The lag behind it grows towards rate · damping.
  pose[AZIMUTH] = (pose[AZIMUTH] as number) + rate * (elapsed - damping * (1 - left));
  placeOrbiting(pose, out, at);
};

/** Writes the position and rotation of a camera in a pose: yaw by the azimuth, then pitch. −Z points at the target. */
export function placeOrbiting(pose: ArrayLike<number>, out: Numbers | number[], at: number): void {
  const azimuth = pose[AZIMUTH] as number;
  const polar = pose[POLAR] as number;
  const distance = pose[DISTANCE] as number;
  const flat = Math.sin(polar) * distance;
  out[at + POSITION] = (pose[0] as number) + flat * Math.sin(azimuth);
  out[at + POSITION + 1] = (pose[1] as number) + Math.cos(polar) * distance;
  out[at + POSITION + 2] = (pose[2] as number) + flat * Math.cos(azimuth);
  const pitch = polar - Math.PI / 2;
  const sinYaw = Math.sin(azimuth / 2);
  const cosYaw = Math.cos(azimuth / 2);
  const sinPitch = Math.sin(pitch / 2);
  const cosPitch = Math.cos(pitch / 2);
  out[at + ROTATION] = sinPitch * cosYaw;
  out[at + ROTATION + 1] = cosPitch * sinYaw;
  out[at + ROTATION + 2] = -sinPitch * sinYaw;
  out[at + ROTATION + 3] = cosPitch * cosYaw;
}
