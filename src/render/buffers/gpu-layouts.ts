import type { MaterialParameterName } from '../../proxy/materials/material-features.js';
import {
  MATERIAL_PARAMETERS,
  RECORD_PARAMETERS,
  TEXTURE_SLOT_COUNT,
} from '../../proxy/materials/material-layout.js';
import { defineGpuStruct } from './gpu-struct.js';

/**
 * The vertex shader's record of a primitive, 64 bytes.
 *
 * Shaders read the structures of this file. Positions and directions are relative to the *render origin* (see
 * `scene.ts`), in metres. `GpuMaterial` has the offsets of `MaterialOffset`, which a test checks, so material
 * parameters are uploaded as the game sent them.
 */
export const GpuPrimitive = /* @__PURE__ */ defineGpuStruct('Primitive', {
  /** The first three rows of the matrix. */
  worldFromLocal: ['vec4f', 3],
  materialSlot: 'u32',
  flags: 'u32',
  /**
   * If the primitive has a skin: index of the first joint in the palettes. If it has only morph targets: `NO_ID`. If it
   * has a colour of its own: red and green as half floats.
   */
  palette: 'u32',
  /**
   * Index of the first word of the primitive's record of morph targets; 0: none. If the primitive has a colour of its
   * own: blue and alpha as half floats.
   */
  morph: 'u32',
});

/** Bits of `Primitive.flags`. Bits that are also in `PrimitiveFlag` have the same values there. */
export enum GpuPrimitiveFlag {
  /** The transform mirrors, so cross products change sign. */
  isMirrored = 1,
  /** The primitive is the coarser of two levels of detail that fade into each other. */
  isCoarser = 2,
  receivesNoShadow = 4,
  colored = 16,
}

/** Lowest of the 8 bits of `Primitive.flags` that hold the finer level's share of the pixels, in 255ths. */
export const FADE_SHIFT = 16;

/** The layout that `material-features.ts` declares. */
export const GpuMaterial = /* @__PURE__ */ defineGpuStruct('Material', {
  .../* @__PURE__ */ parameterTypes(),
  /**
   * Two vectors per slot: a b c d, then e, f, the texture coordinate set, and 1 if the slot has a texture.
   */
  textureTransforms: ['vec4f', 2 * TEXTURE_SLOT_COUNT],
});

export const GpuLight = /* @__PURE__ */ defineGpuStruct('Light', {
  /** Position of the light. For a directional light: the direction towards it. */
  position: 'vec3f',
  /** Metres; 0 = unlimited. */
  range: 'f32',
  /** Direction in which the light travels, unit length. */
  direction: 'vec3f',
  /** `LightKind`. */
  kind: 'u32',
  /** Colour times intensity: lux for directional lights, candela for point and spot lights. */
  intensity: 'vec3f',
  coneScale: 'f32',
  coneOffset: 'f32',
  /**
   * Upper half: number of shadow views that the light has for a camera's view. Lower half: index of the first
   * shadow view.
   */
  shadowViews: 'u32',
  /** 0 for a directional light, whose direction is the same everywhere; 1 for point and spot lights. */
  nearness: 'f32',
  /** Inverse square of the range in metres; 0: unlimited. */
  inverseSquaredRange: 'f32',
});

export const GpuView = /* @__PURE__ */ defineGpuStruct('View', {
  clipFromWorld: 'mat4x4f',
  cameraPosition: 'vec3f',
  /** Number of lights that apply to every pixel. Shaders loop over them from `firstLoopedLight` on. */
  lightCount: 'u32',
  cameraForward: 'vec3f',
  isOrthographic: 'u32',
  /** Number of lights that cast shadows. These lights are stored first. */
  shadowedLightCount: 'u32',
  /** Index of the view in the frame. */
  index: 'u32',
  /** Scene time, in seconds. */
  timeSeconds: 'f32',
  /** Width of the area that the view is drawn over, in CSS pixels. */
  viewportWidth: 'f32',
  /** World coordinates of the point that positions are relative to. */
  renderOrigin: 'vec3f',
  viewportHeight: 'f32',
  /**
   * Direction in which the first directional light without shadows travels. Shaders do not loop over this
   * light.
   */
  sunDirection: 'vec3f',
  /** Factor on all light, for surface shaders that apply tone mapping themselves (`hdr: false`). */
  exposure: 'f32',
  /** Colour times intensity of the light of `sunDirection`, in lux; 0 if there is none. */
  sunIntensity: 'vec3f',
  /** Index of the first light without shadows that is not the light of `sunDirection`. */
  firstLoopedLight: 'u32',
  /** Colour of the fog, as scene colour. Shaders without fog do not read these members. */
  fogColor: 'vec3f',
  /** Optical density of the fog up to `fogHeight`, per metre. */
  fogDensity: 'f32',
  /** Direction in which the brightest directional light travels. The fog scatters this light to the camera. */
  fogSunDirection: 'vec3f',
  /** Distance from the camera at which the fog begins, in metres. */
  fogStart: 'f32',
  /** Colour times intensity of that light, multiplied by the share that the fog scatters. */
  fogSunLight: 'vec3f',
  /** Rate at which the density decreases above `fogHeight`, per metre: density · exp(−rate · metres). */
  fogFalloff: 'f32',
  /** Height above the render origin up to which the fog is dense, in metres. */
  fogHeight: 'f32',
  /** 1: the fog has the colour of the environment behind it instead of `fogColor`. */
  fogFromEnvironment: 'u32',
  /** Width of the view's whole picture in texels, even if a part of it is drawn. */
  pictureWidth: 'f32',
});

export const GpuToneMapping = /* @__PURE__ */ defineGpuStruct('ToneMapping', {
  /** Background, not premultiplied by alpha: linear, or sRGB if surface shaders apply tone mapping. */
  background: 'vec4f',
  exposure: 'f32',
  /** Origin of the view in the target, in pixels. */
  origin: 'vec2f',
  /** Origin of the drawn part in the view's whole picture, and size of that picture, in pixels. */
  part: 'vec2f',
  whole: 'vec2f',
});

/** Light from all around (`shaders/environment.wgsl`). */
export const GpuEnvironment = /* @__PURE__ */ defineGpuStruct('Environment', {
  /** Radiance of a white matte surface that looks up: colour times intensity, divided by π. */
  ambientSky: 'vec3f',
  /** Factor on the environment's radiance. */
  intensity: 'f32',
  ambientGround: 'vec3f',
  /** Number of mip levels of the cube texture. */
  levelCount: 'f32',
  /** Cosine and sine of the rotation around the Y axis. */
  rotation: 'vec2f',
  /** 0 (sharp) to 1. */
  backgroundBlur: 'f32',
});

/**
 * Light that an environment casts on matte surfaces, divided by π. The environment's sun is stored separately
 * (`shaders/environment-sun.wgsl`).
 */
export const GpuIrradiance = /* @__PURE__ */ defineGpuStruct('Irradiance', {
  /** Coefficients of spherical harmonics, without the sun. */
  coefficients: ['vec4f', 9],
  /** Direction towards the sun, unit length. */
  toSun: 'vec3f',
  /** Texels around `sunMiddle` above this luminance were removed from the cube as the sun; 0: there is no sun. */
  threshold: 'f32',
  /** The sun's light on a surface that faces it. */
  sunLight: 'vec3f',
  /** Direction towards the environment's brightest texel, unit length. */
  sunMiddle: 'vec3f',
});

function parameterTypes(): Record<MaterialParameterName, 'f32' | 'vec3f' | 'vec4f'> {
  const types = { 1: 'f32', 3: 'vec3f', 4: 'vec4f' } as const;
  return Object.fromEntries(
    RECORD_PARAMETERS.map((name) => [name, types[MATERIAL_PARAMETERS[name].size]]),
  ) as ReturnType<typeof parameterTypes>;
}
