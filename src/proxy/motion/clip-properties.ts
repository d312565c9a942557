/**
 * Properties that clips drive besides transforms and weights (KHR_animation_pointer): numbers of materials, lights and
 * cameras. A track's first word holds the index of a property, counted in this order:
 *
 *   material │ record (`material-layout.ts`) │ emissive colour, its strength │ per slot: offset, rotation, scale
 *   light    │ red, green, blue, intensity, range, inner and outer cone angle
 *   camera   │ fovY in radians, or half the height in metres │ near │ far
 */
import { MATERIAL_FLOATS, TEXTURE_SLOT_COUNT } from '../materials/material-layout.js';

/** Index of the emissive colour without its strength. The material's record holds only the product of both. */
export const EMISSIVE_COLOR = MATERIAL_FLOATS;
/** Index of the emissive strength. */
export const EMISSIVE_STRENGTH = EMISSIVE_COLOR + 3;
/** Index of the first part of a texture transform. The material's record holds only the matrix made from the parts. */
export const UV_PARTS = EMISSIVE_STRENGTH + 1;
/** Numbers per texture slot: two of the offset, one of the rotation, two of the scale. */
export const UV_PART_FLOATS = 5;
export const UvField = { offset: 0, rotation: 2, scale: 3 } as const;
export const MATERIAL_PROPERTIES = UV_PARTS + UV_PART_FLOATS * TEXTURE_SLOT_COUNT;

export const LightProperty = {
  color: 0,
  intensity: 3,
  range: 4,
  innerConeAngle: 5,
  outerConeAngle: 6,
} as const;
export const LIGHT_PROPERTIES = 7;

export const CameraProperty = { extentY: 0, near: 1, far: 2 } as const;
export const CAMERA_PROPERTIES = 3;
