/**
 * Options for the look of a picture. In `createEngine` they apply to all views, in `addView` to one view.
 */
import { color, member, numberFrom, oneOf } from '../core/options/members.js';
import { TONE_MAPPINGS } from './commands.js';

/** A CSS colour (sRGB), or linear red, green, blue and optional alpha. */
export type BackgroundColor =
  | string
  | readonly [number, number, number]
  | readonly [number, number, number, number];

/** Samples per pixel: 4, or 1 or `false` for none. `true` means 4. */
export type Antialias = 4 | 1 | boolean;

export const LOOK = {
  antialias: member<Antialias>(
    (value) => value === 4 || value === 1 || typeof value === 'boolean',
    '4, 1 or false',
  ),
  toneMapping: oneOf(TONE_MAPPINGS),
  exposure: numberFrom(1e-6, 1e6),
  background: color<BackgroundColor>(),
};

/** Returns the samples per pixel for a value of `antialias`. */
export const sampleCountOf = (antialias: Antialias): 1 | 4 =>
  antialias === 1 || antialias === false ? 1 : 4;
