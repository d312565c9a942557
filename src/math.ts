/**
 * `fencepost/math`: vectors and rotations for scenes, on plain numbers. Functions accept arrays, objects, and the
 * vectors and rotations of actors. Results are arrays, which can be assigned to `position`, `rotation` and `scale`.
 * Units are metres and radians, and the axes are right-handed.
 *
 * @example
 * import { add, rotate } from 'fencepost/math';
 * camera.position = add(car.position, rotate([0, 2, -5], car.rotation));
 */
export { clamp, degrees, radians, ramp } from './core/math/numbers.js';
export { aboutAxis, combine, fromAngles, inverse, mixRotations } from './core/math/rotations.js';
export {
  add,
  cross,
  distance,
  dot,
  length,
  mix,
  normalize,
  type Quaternion,
  type QuaternionLike,
  rotate,
  scale,
  subtract,
  type Vector,
  type VectorLike,
} from './core/math/vectors.js';
