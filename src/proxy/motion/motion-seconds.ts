import { MotionKind } from './motion.js';
import { followSeconds } from './motion-follow.js';
import { keyframesSeconds } from './motion-keyframes.js';

const forEver = (rate: number): number => (rate === 0 ? 0 : Number.POSITIVE_INFINITY);

/** Returns the seconds after which a motion changes nothing any more. @param kind a value of `MotionKind` */
export function motionSeconds(kind: number, parameters: Float64Array): number {
  if (kind === MotionKind.spin) return forEver(parameters[3] as number);
  if (kind === MotionKind.orbit) return forEver(parameters[6] as number);
  return kind === MotionKind.keyframes ? keyframesSeconds(parameters) : followSeconds(parameters);
}
