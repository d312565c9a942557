import decalShader from '../../../shaders/decal.wgsl?raw';
import fadingShader from '../../../shaders/decal-fading.wgsl?raw';
import { ShaderStage } from '../../rhi/commands/descriptors.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { FADING_CODE } from '../materials/fading.js';

/** A decal, as its shader reads it. Positions are relative to the render origin, in metres. */
export const GpuDecal = /* @__PURE__ */ defineGpuStruct('Decal', {
  /** Rows of the matrix from the world to the decal's box, which reaches from −0.5 to 0.5 along each axis. */
  boxFromWorld: ['vec4f', 3],
  /** Linear colour and opacity. They multiply the picture. */
  color: 'vec4f',
  /** Direction to the right of the picture in the world, of unit length. */
  right: 'vec3f',
  /** 1 if the decal's normal map replaces the normals of surfaces, else 0. */
  isTilted: 'f32',
  /** Direction to the top of the picture in the world, of unit length. */
  up: 'vec3f',
  /** Direction from the picture to its viewer in the world, of unit length. */
  facing: 'vec3f',
});

/**
 * Returns the part of the mesh shader that draws surfaces again with a decal as their base colour.
 * @param isFading whether the surfaces may belong to levels of detail that fade into each other
 */
export const decalCode = (isFading: boolean): string =>
  `${GpuDecal.wgsl}${decalShader}${isFading ? `${FADING_CODE}${fadingShader}` : ''}`;

/** Bindings of a decal in bind group 0 (`shaders/decal.wgsl`). */
export enum DecalBinding {
  settings = 24,
  picture = 25,
  pictureSampler = 26,
  normals = 27,
  normalSampler = 28,
}

const visibility = ShaderStage.fragment;

/** Entries that a decal adds to the layout of bind group 0, after the entries of the frame. */
export const DECAL_LAYOUT: readonly GPUBindGroupLayoutEntry[] = [
  { binding: DecalBinding.settings, visibility, buffer: { type: 'uniform' } },
  { binding: DecalBinding.picture, visibility, texture: {} },
  { binding: DecalBinding.pictureSampler, visibility, sampler: {} },
  { binding: DecalBinding.normals, visibility, texture: {} },
  { binding: DecalBinding.normalSampler, visibility, sampler: {} },
];
