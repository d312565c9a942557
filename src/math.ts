/**
 * `fencepost/math`: what scenes need of vectors and rotations, on plain numbers. Vectors and rotations of actors, arrays and objects
 * are taken alike; results are arrays, which `position`, `rotation` and `scale` take. Metres, radians, right-handed.
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
