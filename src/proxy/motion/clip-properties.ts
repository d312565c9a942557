/**
 * What clips drive besides nodes and weights (KHR_animation_pointer): numbers of materials, lights and cameras. A track's word says
 * which of them, counted as here.
 *
 *   material │ its numbers (`material-layout.ts`) │ emissive colour, its strength │ per texture slot: offset, rotation, scale
 *   light    │ red, green, blue, intensity, range, inner and outer cone angle
 *   camera   │ fovY in radians, or half the height in metres │ near │ far
 */
import { MATERIAL_FLOATS, TEXTURE_SLOT_COUNT } from '../materials/material-layout.js';

/** What only clips take apart: the material has the colour times the strength. */
export const EMISSIVE_COLOR = MATERIAL_FLOATS;
export const EMISSIVE_STRENGTH = EMISSIVE_COLOR + 3;
/** Likewise: the material has a matrix. Two, one and two numbers per slot. */
export const UV_PARTS = EMISSIVE_STRENGTH + 1;
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
