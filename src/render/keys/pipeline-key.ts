import { DRAWN_TOPOLOGIES } from '../../proxy/commands.js';
import { MaterialFlag } from '../../proxy/material-layout.js';

/**
 * Everything about a primitive that a pipeline fixes, as bits:
 *
 *   bit   0–3 vertex format │ 4–6 topology │ 7–11 flags of the material │ 12 mirrored │ 13 textured │ 14 normal-mapped │ 15 fading │
 *         16–18 vertex policy │ 19–30 shader of the material, 0: the engine's
 *
 * `widths.test.ts` checks that what goes into a field fits, and that no two fields overlap.
 */
export const PIPELINE_KEY_BITS = 31;
const SHADER_SHIFT = 19;
/** Numbers of shaders are below. */
export const SHADER_RANGE = 2 ** (PIPELINE_KEY_BITS - SHADER_SHIFT);
/** Numbers of vertex policies are below. */
export const VERTEX_POLICY_RANGE = 8;
const VERTEX_POLICY_SHIFT = 16;
const VERTEX_FORMAT_MASK = 15;
const TOPOLOGY_SHIFT = 4;
const MATERIAL_SHIFT = 7;

export enum KeyBit {
  // Flags of materials, `MaterialFlag`, from bit 7 on.
  masked = 1 << 7,
  blended = 1 << 8,
  doubleSided = 1 << 9,
  unlit = 1 << 10,
  unmapped = 1 << 11,
  /** A mirrored transform turns the winding around. */
  mirrored = 1 << 12,
  textured = 1 << 13,
  normalMapped = 1 << 14,
  /** A level of detail fades into another. */
  fading = 1 << 15,
}

/** The number of the material's shader, in place. */
export const SHADER_BITS = /* @__PURE__ */ (SHADER_RANGE - 1) << SHADER_SHIFT;

/** The vertices' part of a key. */
export const SHAPE_BITS =
  /* @__PURE__ */ VERTEX_FORMAT_MASK | (7 << TOPOLOGY_SHIFT) | (7 << VERTEX_POLICY_SHIFT);

/** Opaque triangles, lit, without textures: the key whose bits are all 0. */
export const PLAIN_PIPELINE = 0;

/** Per changed primitive: packs what its pipeline depends on. */
export function pipelineKey(
  vertexFormat: number,
  topology: number,
  materialFlags: number,
  isMirrored: number,
  textureSet: number,
  isNormalMapped: number,
  vertexPolicy: number,
  shader: number,
): number {
  return (
    vertexFormat |
    (topology << TOPOLOGY_SHIFT) |
    (materialFlags << MATERIAL_SHIFT) |
    (isMirrored ? KeyBit.mirrored : 0) |
    (textureSet ? KeyBit.textured : 0) |
    (isNormalMapped && !(materialFlags & MaterialFlag.unlit) ? KeyBit.normalMapped : 0) |
    (vertexPolicy << VERTEX_POLICY_SHIFT) |
    (shader << SHADER_SHIFT)
  );
}

/** The number of the material's shader; 0: the engine's own. */
export const shaderOf = (key: number): number => key >>> SHADER_SHIFT;

/** True when draws with this key read textures of the material. */
export const isTexturedKey = (key: number): boolean => (key & KeyBit.textured) !== 0;

/** The number of the policy that places its vertices. */
export const vertexPolicyOf = (key: number): number => (key >> VERTEX_POLICY_SHIFT) & 7;

export const vertexFormatOf = (key: number): number => key & VERTEX_FORMAT_MASK;

/** What the shaders call the alpha mode: 0 opaque, 1 mask, 2 blend. */
export const alphaModeOf = (key: number): number => (key >> MATERIAL_SHIFT) & 3;

/** True when draws with this key are blended, and so sorted back to front. */
export const isBlendedKey = (key: number): boolean => (key & KeyBit.blended) !== 0;

/** True for opaque, lit triangles, which a deferred renderer lights when all of them are drawn. */
export const isSurfaceKey = (key: number): boolean =>
  (key & (KeyBit.blended | KeyBit.unlit)) === 0 && topologyOf(key).startsWith('triangle');

export function topologyOf(key: number): GPUPrimitiveTopology {
  const topology = DRAWN_TOPOLOGIES[(key >> TOPOLOGY_SHIFT) & 7] ?? 'billboards';
  return topology === 'billboards' ? 'triangle-list' : topology;
}

/** How a key's vertices make primitives, and which side of triangles is their front. */
export function primitiveState(key: number): GPUPrimitiveState & { readonly topology: GPUPrimitiveTopology } {
  const topology = topologyOf(key);
  return {
    topology,
    frontFace: key & KeyBit.mirrored ? 'cw' : 'ccw',
    ...(topology.endsWith('strip') ? { stripIndexFormat: 'uint32' } : {}),
  };
}
