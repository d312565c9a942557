/**
 * Matrix and quaternion arithmetic of the game side, for world transforms on demand and for `lookAt`.
 * Matrices are 4×4, column-major, and named destination-from-source. Quaternions are x y z w.
 */
import {
  type Numbers,
  ROTATION_WORD,
  SCALE_WORD,
  TRANSFORM_DOUBLES,
  TRANSFORM_WORDS,
  type TransformArray,
} from '../../proxy/transform-array.js';

/** A matrix of 16 numbers that can be written to. Positions need 64 bits. */
export type Matrix = Float32Array | Float64Array | number[];

/** Writes the matrix of a transform: translate · rotate · scale. */
export function parentFromLocal(out: Matrix, { doubles, floats }: TransformArray, index: number): void {
  const at = index * TRANSFORM_WORDS;
  const position = index * TRANSFORM_DOUBLES;
  const x = floats[at + ROTATION_WORD] as number;
  const y = floats[at + ROTATION_WORD + 1] as number;
  const z = floats[at + ROTATION_WORD + 2] as number;
  const w = floats[at + ROTATION_WORD + 3] as number;
  const scaleX = floats[at + SCALE_WORD] as number;
  const scaleY = floats[at + SCALE_WORD + 1] as number;
  const scaleZ = floats[at + SCALE_WORD + 2] as number;
  out[0] = (1 - 2 * (y * y + z * z)) * scaleX;
  out[1] = 2 * (x * y + w * z) * scaleX;
  out[2] = 2 * (x * z - w * y) * scaleX;
  out[3] = 0;
  out[4] = 2 * (x * y - w * z) * scaleY;
  out[5] = (1 - 2 * (x * x + z * z)) * scaleY;
  out[6] = 2 * (y * z + w * x) * scaleY;
  out[7] = 0;
  out[8] = 2 * (x * z + w * y) * scaleZ;
  out[9] = 2 * (y * z - w * x) * scaleZ;
  out[10] = (1 - 2 * (x * x + y * y)) * scaleZ;
  out[11] = 0;
  out[12] = doubles[position] as number;
  out[13] = doubles[position + 1] as number;
  out[14] = doubles[position + 2] as number;
  out[15] = 1;
}

/** Scales a quaternion, four numbers from `first` on, to the length 1. A quaternion of zeros stays. */
export function normalize(numbers: Numbers, first: number): void {
  let lengthSquared = 0;
  for (let part = first; part < first + 4; part++) lengthSquared += (numbers[part] as number) ** 2;
  const factor = 1 / Math.sqrt(lengthSquared || 1);
  for (let part = first; part < first + 4; part++) numbers[part] = (numbers[part] as number) * factor;
}

/** Writes `left · right` to `out`, which may be `right` but not `left`. */
export function multiply(out: Matrix, left: ArrayLike<number>, right: ArrayLike<number>): void {
  for (let column = 0; column < 16; column += 4) {
    const x = right[column] as number;
    const y = right[column + 1] as number;
    const z = right[column + 2] as number;
    const w = right[column + 3] as number;
    for (let row = 0; row < 4; row++) {
      out[column + row] =
        (left[row] as number) * x +
        (left[row + 4] as number) * y +
        (left[row + 8] as number) * z +
        (left[row + 12] as number) * w;
    }
  }
}

/** Returns the quaternion product `left · right`: the rotation by `right`, then by `left`. */
export function multiplyQuaternions(left: ArrayLike<number>, right: ArrayLike<number>): number[] {
  const [ax, ay, az, aw] = left as unknown as [number, number, number, number];
  const [bx, by, bz, bw] = right as unknown as [number, number, number, number];
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** Returns the rotation by `pitch` about +X, then by `yaw` about +Y, both in radians. It has no roll. */
function rotationFromAngles(yaw: number, pitch: number): [number, number, number, number] {
  const sinYaw = Math.sin(yaw / 2);
  const cosYaw = Math.cos(yaw / 2);
  const sinPitch = Math.sin(pitch / 2);
  const cosPitch = Math.cos(pitch / 2);
  return [sinPitch * cosYaw, cosPitch * sinYaw, -sinPitch * sinYaw, cosPitch * cosYaw];
}

/** Returns the rotation without roll that turns +Z towards (x, y, z). Looking straight up, +Y becomes −Z. */
export function rotationTowards(x: number, y: number, z: number): [number, number, number, number] {
  // + 0 turns −0 into 0: the yaw of a vertical direction is 0, not π.
  return rotationFromAngles(Math.atan2(x + 0, z + 0), -Math.atan2(y, Math.hypot(x, z)));
}
