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
import { hermite, normalize, slerp } from './interpolate.js';
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
