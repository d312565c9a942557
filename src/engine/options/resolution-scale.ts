import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import { member, numberFrom, optional } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';

const LEAST_SCALE = 0.25;
const MOST_SCALE = 2;
const scale = numberFrom(LEAST_SCALE, MOST_SCALE);

const FOLLOWED = {
  /** Wanted GPU time of a frame, in milliseconds, 1 to 1000. */
  targetMs: numberFrom(1, 1000),
  /** Least scale, 0.25 to 2. Default 0.5, or `maximum` if that is less. */
  minimum: optional(scale),
  /** Largest scale, 0.25 to 2. Default 1, or `minimum` if that is more. */
  maximum: optional(scale),
};

/** A scale from 0.25 to 2, or limits between which the scale follows the GPU time. */
export type ResolutionScale = number | Readonly<Shaped<typeof FOLLOWED>>;

/** A `ResolutionScale` with the default limits filled in. */
export type ShownResolutionScale = number | Readonly<Required<Shaped<typeof FOLLOWED>>>;

export const RESOLUTION_SCALE = member<ResolutionScale>(
  (value) => isObject(value) || scale.accepts(value),
  `a number from ${LEAST_SCALE} to ${MOST_SCALE}, or { targetMs, minimum, maximum }`,
  { shape: FOLLOWED, code: 'option-out-of-range' },
);

/**
 * Checks a scale, and fills in the limits.
 * @param what object or function that received the value, for errors
 * @throws OptionError `option-out-of-range`, `option-unknown`, `option-invalid`
 */
export function checkResolutionScale(what: string, value: ResolutionScale): ShownResolutionScale {
  if (!isObject(value)) return checkMember(what, 'resolutionScale', value, RESOLUTION_SCALE) as number;
  const limits = value as Exclude<ResolutionScale, number>;
  checkOptions(`resolutionScale of ${what}`, limits, FOLLOWED);
  const { targetMs, minimum, maximum } = limits;
  const filled = {
    targetMs,
    minimum: minimum ?? Math.min(0.5, maximum ?? 1),
    maximum: maximum ?? Math.max(1, minimum ?? 0),
  };
  if (filled.minimum > filled.maximum) {
    throw new OptionError(
      'option-out-of-range',
      `minimum of resolutionScale of ${what} is ${filled.minimum}, which is above the maximum ${filled.maximum}.`,
    );
  }
  return Object.freeze(filled);
}
