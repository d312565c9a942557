/**
 * Checks keyframes as callers write them, and flattens them into the parameters of `proxy/motion/motion-keyframes.ts`.
 * Curves (`cubic`) without tangents get tangents that make them smooth.
 */

import { OptionError } from '../../core/errors.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, oneOf } from '../../core/options/members.js';
import { Interpolation } from '../../proxy/motion/interpolate.js';
import { KEYFRAMES_CHANNEL, KEYFRAMES_HEADER } from '../../proxy/motion/motion-keyframes.js';

export const CLIP_OPTIONS = {
  /** Seconds from the first frame that shows the motion: rising, 0 or more. */
  times: anything<ArrayLike<number>>(),
  /**
   * Interpolation between two keys: `linear` (default; rotations take the shorter way), `step` (the earlier value),
   * or `cubic` (a curve). A curve with one value per key is made smooth. `keyframes` also takes curves with three
   * values per key (in-tangent, value, out-tangent), as glTF's CUBICSPLINE.
   */
  interpolation: byDefault(oneOf('linear|step|cubic'), 'linear'),
  /** Whether the motion starts again after the last time. Default false: the last value stays. */
  loop: byDefault(boolean(), false),
};

export type ClipOptions = Shaped<typeof CLIP_OPTIONS>;

/** One flat list of all values, or one list per key. */
export type KeyValues = ArrayLike<number> | ArrayLike<ArrayLike<number>>;

export interface Channel {
  /** Name in messages. */
  readonly name: string;
  readonly values: readonly number[];
  /** Index of the first float in the target. `size` is the number of floats. */
  readonly offset: number;
  readonly size: number;
  readonly isRotation?: boolean;
  /** Whether a curve stays between the values of neighbouring keys, for numbers that have a range. */
  readonly isMonotone?: boolean;
}

export function checkTimes(what: string, times: ArrayLike<number>, loop: boolean): number[] {
  const checked = times?.length ? Array.from(times) : [];
  if (checked.length === 0) {
    throw new OptionError('option-invalid', `times of ${what} has to be a list of seconds, such as [0, 1].`);
  }
  checked.forEach((time, index) => {
    checkNumber(what, `times[${index}]`, time, 0, 1e9);
    const before = checked[index - 1] ?? -1;
    if (time > before) return;
    throw new OptionError(
      'option-out-of-range',
      `times of ${what} have to rise: times[${index}] is ${time} after ${before}.`,
    );
  });
  if (loop && checked.at(-1) === 0) {
    throw new OptionError(
      'option-out-of-range',
      `times of ${what} end at 0, so a loop would have no duration. Set the last time to the duration of the loop in seconds.`,
    );
  }
  return checked;
}

/** Returns a channel's values as a flat list. `kinds` describes the `size` numbers of a key in messages. */
export function checkKeys(
  what: string,
  name: string,
  values: KeyValues,
  size: number,
  count: number,
  interpolation: string,
  kinds: string,
): number[] {
  const list = values?.length ? Array.from(values as ArrayLike<number | ArrayLike<number>>) : [];
  const flat = list.flatMap((value) => (typeof value === 'number' ? [value] : Array.from(value ?? [])));
  const isCubic = interpolation === 'cubic';
  if (flat.length !== count * size && !(isCubic && flat.length === count * size * 3)) {
    const triple = isCubic ? `, or ${count * size * 3} with tangents` : '';
    const guess =
      size === 4 && flat.length === count * 3
        ? ' A rotation is a quaternion [x, y, z, w]; three numbers per key look like Euler angles.'
        : '';
    throw new OptionError(
      'option-invalid',
      `${name} of ${what} has ${flat.length} numbers, but ${count} keys need ${count * size}${triple}: ${kinds} for each.${guess}`,
    );
  }
  flat.forEach((value, index) => {
    checkNumber(what, `number ${index} of ${name}`, value, -3.4e38, 3.4e38);
  });
  return flat;
}

/** Returns the parameters of the keyframes record. */
export function clipParameters(
  times: readonly number[],
  interpolation: 'linear' | 'step' | 'cubic',
  loop: boolean,
  channels: readonly Channel[],
): Float64Array {
  const mode = Interpolation[interpolation];
  const values = channels.map((channel) =>
    mode === Interpolation.cubic ? withTangents(times, channel, loop) : channel.values,
  );
  const head = [mode, loop ? 1 : 0, times.length, channels.length];
  const descriptions = channels.flatMap(({ offset, size, isRotation }) => [offset, size, isRotation ? 1 : 0]);
  const length =
    KEYFRAMES_HEADER +
    channels.length * KEYFRAMES_CHANNEL +
    times.length +
    values.reduce((sum, each) => sum + each.length, 0);
  const parameters = new Float64Array(length);
  let at = 0;
  for (const part of [head, descriptions, times, ...values]) {
    parameters.set(part, at);
    at += part.length;
  }
  return parameters;
}

/** Returns in-tangent, value and out-tangent per key. Tangents that the caller has passed are kept. */
function withTangents(times: readonly number[], channel: Channel, loop: boolean): readonly number[] {
  const { values, size } = channel;
  const count = times.length;
  if (values.length === count * size * 3) return values;
  const value = (key: number, index: number): number => values[key * size + index] as number;
  const last = count - 1;
  // A loop whose last key equals its first is smooth at that seam, too.
  const isClosed = loop && last > 1 && times[0] === 0 && channelIsClosed(values, size, last);
  const slope = (key: number, index: number): number => {
    const from = key < 0 ? last - 1 : key;
    const span = (times[from + 1] as number) - (times[from] as number);
    return (value(from + 1, index) - value(from, index)) / span;
  };
  return Array.from({ length: count }, (_, key) => {
    const tangent = Array.from({ length: size }, (_, index) => {
      const before = key > 0 || isClosed ? slope(key - 1, index) : null;
      const after = key < last ? slope(key, index) : isClosed ? slope(0, index) : null;
      if (before === null || after === null) return before ?? after ?? 0;
      if (!channel.isMonotone) return (before + after) / 2;
      return before * after > 0 ? (2 * before * after) / (before + after) : 0;
    });
    return [...tangent, ...values.slice(key * size, key * size + size), ...tangent];
  }).flat();
}

function channelIsClosed(values: readonly number[], size: number, last: number): boolean {
  return Array.from({ length: size }, (_, index) => index).every(
    (index) => values[index] === values[last * size + index],
  );
}
