/**
 * Options for the look of a picture. In `createEngine` they apply to all views, in `addView` to one view.
 */
import { color, member, numberFrom, oneOf } from '../core/options/members.js';
import { DEBUG_VIEWS, SMOOTHINGS, type Smoothing, TONE_MAPPINGS, TRANSPARENCIES } from './commands.js';

/** A CSS colour (sRGB), or linear red, green, blue and optional alpha. */
export type BackgroundColor =
  | string
  | readonly [number, number, number]
  | readonly [number, number, number, number];

/** Samples per pixel, 4 or 1, or a way to smooth edges in a picture with one sample per pixel. */
export type ShownAntialias = 4 | 1 | Exclude<Smoothing, 'none'>;

/** `ShownAntialias`, `true` for 4 or `false` for 1. */
export type Antialias = ShownAntialias | boolean;

const SMOOTHED = SMOOTHINGS.filter((smoothing) => smoothing !== 'none');

export const LOOK = {
  antialias: member<Antialias>(
    (value) => value === 4 || value === 1 || typeof value === 'boolean' || SMOOTHED.includes(value as never),
    `4, 1, false or ${SMOOTHED.map((smoothing) => `'${smoothing}'`).join(', ')}`,
  ),
  toneMapping: oneOf(TONE_MAPPINGS),
  exposure: numberFrom(1e-6, 1e6),
  background: color<BackgroundColor>(),
  debugView: oneOf(DEBUG_VIEWS),
  transparency: oneOf(TRANSPARENCIES),
};

/** Returns how a value of `antialias` is read back. */
export const shownAntialias = (antialias: Antialias): ShownAntialias =>
  typeof antialias === 'boolean' ? (antialias ? 4 : 1) : antialias;

/** Returns the samples per pixel. */
export const sampleCountOf = (antialias: ShownAntialias): 1 | 4 => (antialias === 4 ? 4 : 1);

/** Returns the way in which edges are smoothed, as an index in `SMOOTHINGS`. */
export const smoothingOf = (antialias: ShownAntialias): number =>
  typeof antialias === 'string' ? SMOOTHINGS.indexOf(antialias) : 0;
