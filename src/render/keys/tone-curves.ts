import displayColors from '../../../shaders/display-colors.wgsl?raw';
import aces from '../../../shaders/tone-curve-aces.wgsl?raw';
import agx from '../../../shaders/tone-curve-agx.wgsl?raw';
import khronosNeutral from '../../../shaders/tone-curve-khronos-neutral.wgsl?raw';
import { TONE_MAPPINGS, type ToneMapping } from '../../proxy/commands.js';

const NO_CURVE = 'fn toneCurve(color: vec3f) -> vec3f { return color; }';

/** WGSL of `fn toneCurve(color: vec3f) -> vec3f`, linear to linear, by tone mapping. */
const toneCurves: Readonly<Record<ToneMapping, string>> = {
  none: NO_CURVE,
  aces,
  agx,
  'khronos-neutral': khronosNeutral,
};

/** Index in `TONE_MAPPINGS` of the tone mapping that changes nothing. */
export const NO_TONE_MAPPING = 0;

/** Returns the WGSL of a tone mapping. @param toneMapping index in `TONE_MAPPINGS` */
export const toneCurveCode = (toneMapping: number): string =>
  toneCurves[TONE_MAPPINGS[toneMapping] ?? 'none'];

/** Returns WGSL of `fn displayColor(color: vec4f) -> vec4f`, with which the shaders of surfaces apply tone mapping. */
export const displayColorCode = (toneMapping: number): string => displayColors + toneCurveCode(toneMapping);

/** Returns a channel of a linear colour as sRGB. */
export const encodeChannel = (value: number): number =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
