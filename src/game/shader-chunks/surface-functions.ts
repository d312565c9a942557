import fresnelCode from '../../../shaders/chunks/fresnel.wgsl?raw';
import hueShiftCode from '../../../shaders/chunks/hue-shift.wgsl?raw';
import paletteCode from '../../../shaders/chunks/palette.wgsl?raw';
import remapCode from '../../../shaders/chunks/remap.wgsl?raw';
import rotateCode from '../../../shaders/chunks/rotate.wgsl?raw';
import triplanarCode from '../../../shaders/chunks/triplanar.wgsl?raw';
import type { ShaderChunk } from './shader-chunk.js';

/**
 * `triplanar(image: texture_2d<f32>, imageSampler: sampler, position: vec3f, normal: vec3f, sharpness: f32) -> vec4f`:
 * samples a texture along the three axes, and mixes the results by the normal. One repetition is one unit of
 * `position`. `sharpness` is 1 for wide transitions, 8 for narrow ones. Call it in `surface`, outside of branches that
 * differ from pixel to pixel. Source: R. Geiss, GPU Gems 3, chapter 1, 2007.
 */
export const triplanar: ShaderChunk = { name: 'triplanar', wgsl: triplanarCode };

/**
 * `fresnel(normal: vec3f, toCamera: vec3f, power: f32) -> f32`: 0 where the surface faces the camera, 1 where it is seen
 * from the side. `power` narrows the rim. Source of the usual power 5: C. Schlick, "An Inexpensive BRDF Model", 1994.
 */
export const fresnel: ShaderChunk = { name: 'fresnel', wgsl: fresnelCode };

/** `hueShift(color: vec3f, turns: f32) -> vec3f`: turns the hue of a linear colour. Greys stay as they are. */
export const hueShift: ShaderChunk = { name: 'hueShift', wgsl: hueShiftCode };

/**
 * `palette(share: f32, base: vec3f, amplitude: vec3f, frequency: vec3f, phase: vec3f) -> vec3f`: a periodic gradient
 * from `base` − `amplitude` to `base` + `amplitude`. `frequency` is in periods per share, `phase` in periods.
 * Source: I. Quilez, "Procedural Color Palette", 1999.
 */
export const palette: ShaderChunk = { name: 'palette', wgsl: paletteCode };

/**
 * `rotate2(vector: vec2f, radians: f32) -> vec2f` and `rotateAbout(vector: vec3f, axis: vec3f, radians: f32) -> vec3f`:
 * rotate counter-clockwise. The axis has unit length.
 */
export const rotate: ShaderChunk = { name: 'rotate', wgsl: rotateCode };

/**
 * `remap(value: f32, fromLow: f32, fromHigh: f32, toLow: f32, toHigh: f32) -> f32` maps a number from one range to
 * another. `remapClamped`, with the same parameters, stays within the second range.
 */
export const remap: ShaderChunk = { name: 'remap', wgsl: remapCode };
