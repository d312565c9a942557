import { TEXTURE_SLOT_COUNT } from '../proxy/material-layout.js';
import { defineGpuStruct } from './gpu-struct.js';

/**
 * What the shaders read, by structure. Positions and directions are relative to the *render origin* (see
 * `scene.ts`), in metres. The member order of `GpuMaterial` is that of `MaterialOffset`, which a test checks, so
 * material parameters go to the GPU as they came from the game.
 */

/** One primitive: rows of `worldFromLocal` now and in the frame before. 112 bytes. */
export const GpuPrimitive = /* @__PURE__ */ defineGpuStruct('Primitive', {
  worldFromLocal: ['vec4f', 3],
  previousWorldFromLocal: ['vec4f', 3],
  materialSlot: 'u32',
  flags: 'u32',
});

/** Bit of `Primitive.flags`: the transform mirrors, so cross products change sign. */
export const PRIMITIVE_IS_MIRRORED = 1;

export const GpuMaterial = /* @__PURE__ */ defineGpuStruct('Material', {
  baseColor: 'vec4f',
  emissive: 'vec3f',
  alphaCutoff: 'f32',
  metallic: 'f32',
  roughness: 'f32',
  normalScale: 'f32',
  occlusionStrength: 'f32',
  /** Two per slot: a b c d, then e f, texture coordinate set, and 1 when the slot has a texture. */
  textureTransforms: ['vec4f', 2 * TEXTURE_SLOT_COUNT],
});

export const GpuLight = /* @__PURE__ */ defineGpuStruct('Light', {
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
});

export const GpuView = /* @__PURE__ */ defineGpuStruct('View', {
  clipFromWorld: 'mat4x4f',
  cameraPosition: 'vec3f',
  lightCount: 'u32',
  cameraForward: 'vec3f',
  isOrthographic: 'u32',
});

export const GpuToneMapping = /* @__PURE__ */ defineGpuStruct('ToneMapping', {
  /** Linear, as the page sees it; not multiplied by its alpha. */
  background: 'vec4f',
  exposure: 'f32',
});
