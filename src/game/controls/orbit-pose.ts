/**
 * The pose of an orbiting camera, and how it follows its goal. The game side does this step by step, the
 * render thread in closed form (`proxy/motion/motion-follow.ts`), with the same result.
 */
import {
  FOLLOW_PARAMETERS,
  POSE_NUMBERS,
  placeOrbiting,
  remainingShare,
  stillLimit,
} from '../../proxy/motion/motion-follow.js';
import type { Actor } from '../components/actor.js';
import type { OrbitSettings } from './orbit-options.js';

/** Target and distance in metres, angles in radians: `azimuth` about +Y from +Z, `polar` from +Y downwards. */
export interface Pose {
  x: number;
  y: number;
  z: number;
  azimuth: number;
  polar: number;
  distance: number;
}

/** Keys in the order of the record's parameters. */
const POSE_KEYS = ['x', 'y', 'z', 'azimuth', 'polar', 'distance'] as const;

export const isSamePose = (a: Pose, b: Pose): boolean => POSE_KEYS.every((key) => a[key] === b[key]);

/**
 * Moves a pose towards its goal, and the goal by its rate. One large step gives the same result as many small
 * ones.
 * @param rate radians per second by which the goal's azimuth rises
 * @returns whether the pose was moved
 */
export function followGoal(pose: Pose, goal: Pose, seconds: number, damping: number, rate: number): boolean {
  const left = remainingShare(seconds, damping);
  let hasMoved = false;
  for (const [index, key] of POSE_KEYS.entries()) {
    // The pose stays behind a turning goal by this angle.
    const lag = key === 'azimuth' ? rate * damping : 0;
    const from = pose[key];
    const rest = goal[key] - lag - from;
    if (key === 'azimuth') goal.azimuth += rate * seconds;
    // A pose that has arrived is set to the goal's value, so it keeps its exact bits.
    pose[key] =
      rest === 0 && rate === 0
        ? goal[key]
        : goal[key] - lag - (Math.abs(rest) < stillLimit(index, goal.distance) ? 0 : rest * left);
    if (pose[key] !== from) hasMoved = true;
  }
  return hasMoved;
}

/** Returns the parameters of a `followGoal` record. */
export function followParameters(pose: Pose, goal: Pose, damping: number, rate: number): Float64Array {
  const parameters = new Float64Array(FOLLOW_PARAMETERS);
  POSE_KEYS.forEach((key, index) => {
    parameters[index] = pose[key];
    parameters[POSE_NUMBERS + index] = goal[key];
  });
  parameters[2 * POSE_NUMBERS] = damping;
  parameters[2 * POSE_NUMBERS + 1] = rate;
  return parameters;
}

const numbers = /* @__PURE__ */ new Float64Array(POSE_NUMBERS);
/** A camera's position, then its rotation. */
const transform: number[] = [];

/** Per movement: places a camera as the render thread would, by the same formula. */
export function placeCamera({ position, rotation }: Actor, pose: Pose): void {
  POSE_KEYS.forEach((key, index) => {
    numbers[index] = pose[key];
  });
  placeOrbiting(numbers, transform, 0);
  const [x, y, z, qx, qy, qz, qw] = transform as [number, number, number, number, number, number, number];
  position.set(x, y, z);
  rotation.set(qx, qy, qz, qw);
}

/** Moves the target within the picture plane. @param right metres to the camera's right @param up metres upwards */
export function panGoal(goal: Pose, right: number, up: number): void {
  const sin = Math.sin(goal.azimuth);
  const cos = Math.cos(goal.azimuth);
  // Right is (cos, 0, −sin). Up leans away from the camera by π/2 minus the polar angle.
  goal.x += right * cos - up * Math.cos(goal.polar) * sin;
  goal.y += up * Math.sin(goal.polar);
  goal.z += -right * sin - up * Math.cos(goal.polar) * cos;
}

/** Least angle between the camera and either pole in radians, because left and right have no meaning at a pole. */
const POLE_MARGIN = 0.01;
/** Default of `maxPolar`: slightly above the plane through the target. */
export const FLOOR_POLAR = Math.PI / 2 - POLE_MARGIN;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Moves a pose into the limits. */
export function limitPose(pose: Pose, limits: OrbitSettings): void {
  const { minPolar, maxPolar, minAzimuth, maxAzimuth, minDistance, maxDistance, targetBounds } = limits;
  pose.polar = clamp(clamp(pose.polar, minPolar, maxPolar), POLE_MARGIN, Math.PI - POLE_MARGIN);
  pose.azimuth = clamp(pose.azimuth, minAzimuth, maxAzimuth);
  pose.distance = clamp(pose.distance, minDistance, maxDistance);
  if (!targetBounds) return;
  const { min, max } = targetBounds;
  pose.x = clamp(pose.x, min[0], max[0]);
  pose.y = clamp(pose.y, min[1], max[1]);
  pose.z = clamp(pose.z, min[2], max[2]);
}

/**
 * Returns the same direction by another number of turns. Without limits, it is the one nearest to `near`. With limits,
 * it lies within them if any does, or else as close as possible.
 */
export function turnedInto(azimuth: number, near: number, { minAzimuth, maxAzimuth }: OrbitSettings): number {
  const turn = 2 * Math.PI;
  const nearest = azimuth + turn * Math.round((near - azimuth) / turn);
  const excess = (angle: number): number => Math.abs(angle - clamp(angle, minAzimuth, maxAzimuth));
  if (excess(nearest) === 0) return nearest;
  const least = Number.isFinite(minAzimuth) ? minAzimuth : maxAzimuth - turn;
  const first = azimuth + turn * Math.ceil((least - azimuth) / turn);
  return excess(first) <= excess(first - turn) ? first : first - turn;
}

/** Returns the pose of a camera at `position` that looks at `target`. Both are in metres. */
export function poseAt(
  [px, py, pz]: readonly [number, number, number],
  [x, y, z]: readonly [number, number, number],
): Pose {
  const distance = Math.hypot(px - x, py - y, pz - z) || 1;
  return { x, y, z, azimuth: Math.atan2(px - x, pz - z), polar: Math.acos((py - y) / distance), distance };
}
