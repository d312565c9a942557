import displayColors from '../../../shaders/display-colors.wgsl?raw';
import aces from '../../../shaders/tone-curve-aces.wgsl?raw';
import agx from '../../../shaders/tone-curve-agx.wgsl?raw';
import khronosNeutral from '../../../shaders/tone-curve-khronos-neutral.wgsl?raw';
import type { ToneMapping } from '../../proxy/commands.js';

/**
 * The tone curves as WGSL, by option. They are sent to the render thread as text, because an engine uses at
 * most one. The code that creates the engine loads this file only for a tone mapping other than `none`.
 */
export const toneCurves: Readonly<Record<ToneMapping, string>> = {
  none: '',
  aces,
  agx,
  'khronos-neutral': khronosNeutral,
};

/** Returns WGSL with which surfaces map their own tones. @param toneCurve empty: none */
export const displayCodeOf = (toneCurve: string): string =>
  displayColors + (toneCurve || 'fn toneCurve(color: vec3f) -> vec3f { return color; }');

/** Returns a linear colour as sRGB. Alpha, the fourth number, is unchanged. */
export const encodeColor = (linear: readonly number[]): readonly number[] =>
  linear.map((value, channel) => {
    if (channel === 3) return value;
    return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  });
