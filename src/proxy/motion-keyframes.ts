/**
 * Values at given times, and what lies between them: glTF's animation samplers, for any floats of a transform or a
 * material.
 *
 *   parameters │ interpolation, loop, key count k, channel count c │ c × (offset, size, is a rotation) │ k times │ values…
 *   values     linear, step: k × size per channel      cubic: k × (in-tangent, value, out-tangent) per channel
 *
 * Before the first time the first value holds, after the last the last. A clip that loops begins anew after its last
 * time. Rotations are quaternions: spherical between two keys the shorter way, and made unit after a cubic.
 */
import type { EvaluateMotion } from './motion.js';

export const Interpolation = { linear: 0, step: 1, cubic: 2 } as const;

/** Floats before the channels, and per channel. */
export const KEYFRAMES_HEADER = 4;
export const KEYFRAMES_CHANNEL = 3;

/** Seconds until a clip has ended; Infinity when it loops. */
export function keyframesSeconds(parameters: Float32Array): number {
  if (parameters[1] !== 0) return Number.POSITIVE_INFINITY;
  return parameters[firstTime(parameters) + (parameters[2] as number) - 1] as number;
}

export const evaluateKeyframes: EvaluateMotion = (parameters, elapsed, out, at) => {
  const interpolation = parameters[0] as number;
  const count = parameters[2] as number;
  const channels = parameters[3] as number;
  const times = firstTime(parameters);
  const last = parameters[times + count - 1] as number;
  let time = Math.max(elapsed, 0);
  if (parameters[1] !== 0 && last > 0) time %= last;

  // The key at or before `time`, and how far it is to the next one.
  let key = 0;
  let end = count;
  while (key + 1 < end) {
    const middle = (key + end) >> 1;
    if ((parameters[times + middle] as number) <= time) key = middle;
    else end = middle;
  }
  const begin = parameters[times + key] as number;
  const isBetween = key + 1 < count && time > begin && interpolation !== Interpolation.step;
  const span = isBetween ? (parameters[times + key + 1] as number) - begin : 1;
  const part = isBetween ? (time - begin) / span : 0;

  const isCubic = interpolation === Interpolation.cubic;
  let values = times + count;
  for (let channel = 0; channel < channels; channel++) {
    const description = KEYFRAMES_HEADER + channel * KEYFRAMES_CHANNEL;
    const to = at + (parameters[description] as number);
    const size = parameters[description + 1] as number;
    const isRotation = parameters[description + 2] !== 0;
    if (isCubic) {
      hermite(parameters, values + key * size * 3, size, part, span, out, to);
      if (isRotation) normalize(out, to);
    } else if (part === 0) {
      const from = values + key * size;
      for (let index = 0; index < size; index++) out[to + index] = parameters[from + index] as number;
    } else if (isRotation) slerp(parameters, values + key * 4, part, out, to);
    else {
      const from = values + key * size;
      for (let index = 0; index < size; index++) {
        const a = parameters[from + index] as number;
        out[to + index] = a + ((parameters[from + size + index] as number) - a) * part;
      }
    }
    values += count * size * (isCubic ? 3 : 1);
  }
};

function firstTime(parameters: Float32Array): number {
  return KEYFRAMES_HEADER + (parameters[3] as number) * KEYFRAMES_CHANNEL;
}

/** glTF 2.0, appendix C.5, from the key whose in-tangent lies at `from`. At `part` 0 it is the key's value. */
function hermite(
  p: Float32Array,
  from: number,
  size: number,
  part: number,
  span: number,
  out: Float32Array,
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

/** glTF 2.0, appendix C.4, between the quaternions at `from` and `from` + 4. */
function slerp(p: Float32Array, from: number, part: number, out: Float32Array, to: number): void {
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
  // Nearly equal rotations: the straight line is as good, and divides by nothing small.
  const isStraight = sine < 1e-6;
  const a = isStraight ? 1 - part : Math.sin((1 - part) * angle) / sine;
  const b = sign * (isStraight ? part : Math.sin(part * angle) / sine);
  out[to] = a * ax + b * bx;
  out[to + 1] = a * ay + b * by;
  out[to + 2] = a * az + b * bz;
  out[to + 3] = a * aw + b * bw;
}

function normalize(out: Float32Array, at: number): void {
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
