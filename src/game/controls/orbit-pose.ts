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

/** Target and distance in metres; azimuth about +Y from +Z and polar from +Y down in radians. */
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
    // Written this way, a pose that has arrived keeps its exact bits.
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
  // Right is (cos, 0, −sin); up leans back by the polar angle.
  goal.x += right * cos - up * Math.cos(goal.polar) * sin;
  goal.y += up * Math.sin(goal.polar);
  goal.z += -right * sin - up * Math.cos(goal.polar) * cos;
}
