import type { MaterialParameterName } from '../../proxy/materials/material-features.js';
import {
  MATERIAL_PARAMETERS,
  RECORD_PARAMETERS,
  TEXTURE_SLOT_COUNT,
} from '../../proxy/materials/material-layout.js';
import { defineGpuStruct } from './gpu-struct.js';

/**
 * Structures that the shaders read. Positions and directions are relative to the *render origin* (see
 * `scene.ts`), in metres. `GpuMaterial` has the offsets of `MaterialOffset`, which a test checks, so material parameters go to the GPU
 * as they came from the game.
 */

/** One primitive. 64 bytes. */
export const GpuPrimitive = /* @__PURE__ */ defineGpuStruct('Primitive', {
  /** Its rows. */
  worldFromLocal: ['vec4f', 3],
  materialSlot: 'u32',
  flags: 'u32',
  /** First joint of its skin's palette, where it has one; red and green as half floats, where it has a colour of its own. */
  palette: 'u32',
  /** Index of its record of morph targets; 0: it has none. Or blue and alpha. */
  morph: 'u32',
});

/** Bits of `Primitive.flags`. Those that `PrimitiveFlag` has as well are the same there. */
export enum GpuPrimitiveFlag {
  /** The transform mirrors, so cross products change sign. */
  isMirrored = 1,
  /** It is the coarser one of two levels of detail that fade into each other. */
  isCoarser = 2,
  receivesNoShadow = 4,
  colored = 16,
}

/** From here on, 8 bits of `Primitive.flags`: the finer level's share of the pixels, of 255. */
export const FADE_SHIFT = 16;

/** As `material-features.ts` declares it. */
export const GpuMaterial = /* @__PURE__ */ defineGpuStruct('Material', {
  .../* @__PURE__ */ parameterTypes(),
  /** Two per slot: a b c d, then e f, texture coordinate set, and 1 when the slot has a texture. */
  textureTransforms: ['vec4f', 2 * TEXTURE_SLOT_COUNT],
});

export const GpuLight = /* @__PURE__ */ defineGpuStruct('Light', {
  /** Where it is; of a directional light, the way to it. */
  position: 'vec3f',
  /** Metres; 0 = unlimited. */
  range: 'f32',
  /** The way the light travels, unit length. */
  direction: 'vec3f',
  /** `LightKind`. */
  kind: 'u32',
  /** Colour times intensity: lux for directional lights, candela for the others. */
  intensity: 'vec3f',
  coneScale: 'f32',
  coneOffset: 'f32',
  /** How many shadow views it has for a camera's view, in the upper half; the first of them, in the lower. */
  shadowViews: 'u32',
  /** 1; 0 for a directional light, which is the same way off from everywhere. */
  nearness: 'f32',
  /** Inverse square of the range in metres; 0: unlimited. */
  inverseSquaredRange: 'f32',
});

export const GpuView = /* @__PURE__ */ defineGpuStruct('View', {
  clipFromWorld: 'mat4x4f',
  cameraPosition: 'vec3f',
  /** Lights that are gone through everywhere. */
  lightCount: 'u32',
  cameraForward: 'vec3f',
  isOrthographic: 'u32',
  /** Lights that cast shadows: they are the first ones. */
  shadowedLightCount: 'u32',
  /** Among the views of the frame. */
  index: 'u32',
  /** Scene time. */
  timeSeconds: 'f32',
  /** CSS pixels. */
  viewportWidth: 'f32',
  /** World coordinates of what positions are relative to. */
  renderOrigin: 'vec3f',
  viewportHeight: 'f32',
  /** The way the first directional light without shadows travels; it is not looped over. */
  sunDirection: 'vec3f',
  /** Factor on all light, where surfaces map their own tones. */
  exposure: 'f32',
  /** Lux; 0: there is none. */
  sunIntensity: 'vec3f',
  /** First of the lights that shaders loop over everywhere: the first without shadows that is no sun. */
  firstLoopedLight: 'u32',
});

export const GpuToneMapping = /* @__PURE__ */ defineGpuStruct('ToneMapping', {
  /** Linear, as the page sees it; not multiplied by its alpha. */
  background: 'vec4f',
  exposure: 'f32',
  /** Pixels: where in the target the view begins. */
  origin: 'vec2f',
});

/** Light from all around (`shaders/environment.wgsl`). */
export const GpuEnvironment = /* @__PURE__ */ defineGpuStruct('Environment', {
  /** Radiance of a white matte surface that looks up: colour times intensity, divided by π. */
  ambientSky: 'vec3f',
  /** Factor on the environment's radiance. */
  intensity: 'f32',
  ambientGround: 'vec3f',
  /** Mip levels of the cube texture. */
  levelCount: 'f32',
  /** Cosine and sine of the turn around the Y axis. */
  rotation: 'vec2f',
  /** 0 sharp to 1. */
  backgroundBlur: 'f32',
});

/** Light of an environment on matte surfaces, divided by π, and its sun, which is kept apart (`shaders/environment-sun.wgsl`). */
export const GpuIrradiance = /* @__PURE__ */ defineGpuStruct('Irradiance', {
  /** Coefficients of spherical harmonics, without the sun. */
  coefficients: ['vec4f', 9],
  /** Unit length. */
  toSun: 'vec3f',
  /** Luminance down to which the sun was taken out of the cube, around `sunMiddle`; 0: there is none. */
  threshold: 'f32',
  /** The sun's, on a surface that faces it. */
  sunLight: 'vec3f',
  sunMiddle: 'vec3f',
});

function parameterTypes(): Record<MaterialParameterName, 'f32' | 'vec3f' | 'vec4f'> {
  const types = { 1: 'f32', 3: 'vec3f', 4: 'vec4f' } as const;
  return Object.fromEntries(
    RECORD_PARAMETERS.map((name) => [name, types[MATERIAL_PARAMETERS[name].size]]),
  ) as ReturnType<typeof parameterTypes>;
}
