import displayColors from '../../../shaders/display-colors.wgsl?raw';
import aces from '../../../shaders/tone-curve-aces.wgsl?raw';
import agx from '../../../shaders/tone-curve-agx.wgsl?raw';
import khronosNeutral from '../../../shaders/tone-curve-khronos-neutral.wgsl?raw';
import type { ToneMapping } from '../../proxy/commands.js';

/**
 * The tone curves as WGSL, by option. They travel to the render thread as text, because nobody
 * uses more than one: whoever composes the engine loads this file only for a tone mapping other than `none`.
 */
export const toneCurves: Readonly<Record<ToneMapping, string>> = {
  none: '',
  aces,
  agx,
  'khronos-neutral': khronosNeutral,
};

/** WGSL with which surfaces map tones themselves. @param toneCurve empty: none */
export const displayCodeOf = (toneCurve: string): string =>
  displayColors + (toneCurve || 'fn toneCurve(color: vec3f) -> vec3f { return color; }');

/** sRGB of a linear colour; alpha, the fourth number, stays. */
export const encodeColor = (linear: readonly number[]): readonly number[] =>
  linear.map((value, channel) => {
    if (channel === 3) return value;
    return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  });
