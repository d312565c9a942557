/** Interpolation between two keys of an animation, for the game and the render thread. */
import type { Numbers } from '../transform-array.js';

export const Interpolation = { linear: 0, step: 1, cubic: 2 } as const;

/**
 * Returns the last key at or before `time`, or the first key when there is none.
 *
 * @param times index in `floats` of `count` rising times, in seconds
 * @param cursor the likely key, or the one before it
 */
export function findKey(floats: Numbers, times: number, count: number, time: number, cursor: number): number {
  const isAt = (key: number): boolean =>
    (floats[times + key] as number) <= time &&
    (key + 1 >= count || time < (floats[times + key + 1] as number));
  if (cursor < count && isAt(cursor)) return cursor;
  if (cursor + 1 < count && isAt(cursor + 1)) return cursor + 1;
  let key = 0;
  let end = count;
  while (key + 1 < end) {
    const middle = (key + end) >> 1;
    if ((floats[times + middle] as number) <= time) key = middle;
    else end = middle;
  }
  return key;
}

/**
 * Writes the interpolated value at `time` to `out`, from index `to` on. The value has `size` numbers.
 *
 * @param values index in `floats` of the first key's value
 * @param key the result of `findKey`
 */
export function sampleKeys(
  floats: Numbers,
  times: number,
  count: number,
  values: number,
  size: number,
  interpolation: number,
  isRotation: boolean,
  key: number,
  time: number,
  out: Numbers,
  to: number,
): void {
  const begin = floats[times + key] as number;
  const isBetween = key + 1 < count && time > begin && interpolation !== Interpolation.step;
  const span = isBetween ? (floats[times + key + 1] as number) - begin : 1;
  const part = isBetween ? (time - begin) / span : 0;
  if (interpolation === Interpolation.cubic) {
    hermite(floats, values + key * size * 3, size, part, span, out, to);
    if (isRotation) normalize(out, to);
    return;
  }
  const from = values + key * size;
  if (isRotation && part !== 0) {
    slerp(floats, from, part, out, to);
    return;
  }
  for (let index = 0; index < size; index++) {
    const a = floats[from + index] as number;
    out[to + index] = part === 0 ? a : a + ((floats[from + size + index] as number) - a) * part;
  }
}

/**
 * Interpolates by glTF 2.0, appendix C.5, from the key whose in-tangent lies at `from`. A `part` of 0 writes the key's
 * value exactly.
 */
function hermite(
  p: Numbers,
  from: number,
  size: number,
  part: number,
  span: number,
  out: Numbers,
  to: number,
): void {
  if (part === 0) {
    for (let index = 0; index < size; index++) out[to + index] = p[from + size + index] as number;
    return;
  }
  const square = part * part;
  const cube = square * part;
  const value = 2 * cube - 3 * square + 1;
  const tangent = span * (cube - 2 * square + part);
  const nextValue = 3 * square - 2 * cube;
  const nextTangent = span * (cube - square);
  for (let index = 0; index < size; index++) {
    const at = from + size + index;
    out[to + index] =
      value * (p[at] as number) +
      tangent * (p[at + size] as number) +
      nextTangent * (p[at + 2 * size] as number) +
      nextValue * (p[at + 3 * size] as number);
  }
}

/** Interpolates by glTF 2.0, appendix C.4, between the quaternions at `from` and `from` + 4. */
function slerp(p: Numbers, from: number, part: number, out: Numbers, to: number): void {
  const ax = p[from] as number;
  const ay = p[from + 1] as number;
  const az = p[from + 2] as number;
  const aw = p[from + 3] as number;
  const bx = p[from + 4] as number;
  const by = p[from + 5] as number;
  const bz = p[from + 6] as number;
  const bw = p[from + 7] as number;
  const cosine = ax * bx + ay * by + az * bz + aw * bw;
  const sign = cosine < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(cosine * sign, 1));
  const sine = Math.sin(angle);
  // Nearly equal rotations are interpolated linearly, which avoids a division by a tiny sine.
  const isStraight = sine < 1e-6;
  const a = isStraight ? 1 - part : Math.sin((1 - part) * angle) / sine;
  const b = sign * (isStraight ? part : Math.sin(part * angle) / sine);
  out[to] = a * ax + b * bx;
  out[to + 1] = a * ay + b * by;
  out[to + 2] = a * az + b * bz;
  out[to + 3] = a * aw + b * bw;
}

/** Normalises the quaternion at `at`. */
export function normalize(out: Numbers, at: number): void {
  const x = out[at] as number;
  const y = out[at + 1] as number;
  const z = out[at + 2] as number;
  const w = out[at + 3] as number;
  const length = Math.sqrt(x * x + y * y + z * z + w * w);
  if (length === 0) return;
  out[at] = x / length;
  out[at + 1] = y / length;
  out[at + 2] = z / length;
  out[at + 3] = w / length;
}
