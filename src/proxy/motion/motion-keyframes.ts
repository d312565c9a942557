/**
 * Values at given times and the interpolation between them, as in glTF's animation samplers. Keyframes drive any
 * numbers of a transform or a material.
 *
 *   parameters │ interpolation, loop, key count k, channel count c │ c × (offset, size, is rotation) │ k times │ values
 *   values     linear, step: k × size per channel      cubic: k × (in-tangent, value, out-tangent) per channel
 *
 * The first value applies before the first time, and the last value after the last time. A looping motion restarts
 * after its last time. Rotations are quaternions. They are interpolated spherically along the shorter arc, and
 * normalised after a cubic interpolation.
 */
import { findKey, Interpolation, sampleKeys } from './interpolate.js';
import type { EvaluateMotion } from './motion.js';

/** Numbers before the channels, and numbers per channel. */
export const KEYFRAMES_HEADER = 4;
export const KEYFRAMES_CHANNEL = 3;

/** Returns the seconds until a motion ends, or Infinity when it loops. */
export function keyframesSeconds(parameters: Float64Array): number {
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

  const key = findKey(parameters, times, count, time, 0);
  const valuesPerKey = interpolation === Interpolation.cubic ? 3 : 1;
  let values = times + count;
  for (let channel = 0; channel < channels; channel++) {
    const description = KEYFRAMES_HEADER + channel * KEYFRAMES_CHANNEL;
    const to = at + (parameters[description] as number);
    const size = parameters[description + 1] as number;
    const isRotation = parameters[description + 2] !== 0;
    sampleKeys(parameters, times, count, values, size, interpolation, isRotation, key, time, out, to);
    values += count * size * valuesPerKey;
  }
};

function firstTime(parameters: Float64Array): number {
  return KEYFRAMES_HEADER + (parameters[3] as number) * KEYFRAMES_CHANNEL;
}
