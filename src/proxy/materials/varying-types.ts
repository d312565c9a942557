/**
 * Types of *varyings*: values that the function `vertex` of a page's shader passes to `surface`. A shader's types are
 * sent as one number, with 4 bits per varying:
 *
 *   bits   0 … 3            4 … 7            …
 *          type 1, plus 1   type 2, plus 1   0 after the last varying
 */

export const VARYING_TYPES = [
  'f32',
  'vec2f',
  'vec3f',
  'vec4f',
  'i32',
  'vec2i',
  'vec3i',
  'vec4i',
  'u32',
  'vec2u',
  'vec3u',
  'vec4u',
] as const;

export type VaryingType = (typeof VARYING_TYPES)[number];

/**
 * Maximum number of varyings of a shader. WebGPU guarantees 16 variables between the stages of a pipeline
 * (`maxInterStageShaderVariables`). The engine's shader has 8, and the facing and the topology of points take one each.
 */
export const MOST_VARYINGS = 6;

/** Returns whether varyings of a type are interpolated. Integers are not. */
export const isInterpolated = (type: VaryingType): boolean => type.endsWith('f') || type === 'f32';

/** Returns the types as one number. */
export const packVaryings = (types: readonly VaryingType[]): number =>
  types.reduce((packed, type, index) => packed | ((VARYING_TYPES.indexOf(type) + 1) << (index * 4)), 0);

/** Returns the types of a number that `packVaryings` returned. */
export function unpackVaryings(packed: number): VaryingType[] {
  const types: VaryingType[] = [];
  for (let rest = packed; rest !== 0; rest >>>= 4) types.push(VARYING_TYPES[(rest & 15) - 1] as VaryingType);
  return types;
}
