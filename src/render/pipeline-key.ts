import { DRAWN_TOPOLOGIES } from '../proxy/commands.js';
import { MaterialFlag } from '../proxy/material-layout.js';
import { VertexFormat } from '../proxy/vertex-format.js';

/**
 * Everything about a primitive that a pipeline fixes, as bits:
 *
 *   bit   0–3 vertex format │ 4–6 topology │ 7 double-sided │ 8 mirrored │ 9–10 alpha mode │ 11 unlit │
 *         12 textured │ 13 normal-mapped │ 14 unmapped │ 15 deformed │ 16 fading │ 17–28 shader of the material, 0: the engine's
 */
export const PIPELINE_KEY_BITS = 29;
const SHADER_SHIFT = 17;
/** Numbers of shaders are below. */
export const SHADER_RANGE = 2 ** (PIPELINE_KEY_BITS - SHADER_SHIFT);
const VERTEX_FORMAT_MASK = 15;
const TOPOLOGY_SHIFT = 4;
const ALPHA_SHIFT = 9;

export enum KeyBit {
  doubleSided = 1 << 7,
  /** A mirrored transform turns the winding around. */
  mirrored = 1 << 8,
  masked = 1 << 9,
  blended = 2 << 9,
  unlit = 1 << 11,
  textured = 1 << 12,
  normalMapped = 1 << 13,
  unmapped = 1 << 14,
  /** Joints or morph targets move its vertices. */
  deformed = 1 << 15,
  /** A level of detail fades into another. */
  fading = 1 << 16,
}

/** The vertices' part of a key. */
export const SHAPE_BITS = /* @__PURE__ */ VERTEX_FORMAT_MASK | (7 << TOPOLOGY_SHIFT) | KeyBit.deformed;

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
  isDeformed: boolean,
  shader: number,
): number {
  const alphaMode =
    materialFlags & MaterialFlag.alphaBlend
      ? KeyBit.blended
      : materialFlags & MaterialFlag.alphaMask
        ? KeyBit.masked
        : 0;
  const isUnlit = (materialFlags & MaterialFlag.unlit) !== 0;
  return (
    vertexFormat |
    (topology << TOPOLOGY_SHIFT) |
    alphaMode |
    (materialFlags & MaterialFlag.doubleSided ? KeyBit.doubleSided : 0) |
    (isMirrored ? KeyBit.mirrored : 0) |
    (isUnlit ? KeyBit.unlit : 0) |
    (textureSet ? KeyBit.textured : 0) |
    (isNormalMapped && !isUnlit ? KeyBit.normalMapped : 0) |
    (materialFlags & MaterialFlag.unmapped ? KeyBit.unmapped : 0) |
    (isDeformed ? KeyBit.deformed : 0) |
    (shader << SHADER_SHIFT)
  );
}

/** The number of the material's shader; 0: the engine's own. */
export const shaderOf = (key: number): number => key >>> SHADER_SHIFT;

/**
 * The bits of a key by which a pass differs that draws shapes and no colours: `bits`, and for what is cut out by its alpha,
 * how that is found out. What a shader of the page's cuts out is whole in such passes.
 */
export const shapeKey = (key: number, bits: number): number =>
  key & (key & KeyBit.masked && shaderOf(key) === 0 ? bits | KeyBit.masked | KeyBit.textured : bits);

/** True when draws with this key read textures of the material. */
export const isTexturedKey = (key: number): boolean => (key & KeyBit.textured) !== 0;

const FACING = /* @__PURE__ */ DRAWN_TOPOLOGIES.indexOf('facing');

/** What the entry points of shaders are called by that place such vertices: `place…Vertex`. */
export function placementOf(key: number): '' | 'Bent' | 'Morphed' | 'Facing' {
  if (((key >> TOPOLOGY_SHIFT) & 7) === FACING) return 'Facing';
  if (!(key & KeyBit.deformed)) return '';
  return vertexFormatOf(key) & VertexFormat.joints ? 'Bent' : 'Morphed';
}

export const vertexFormatOf = (key: number): number => key & VERTEX_FORMAT_MASK;

/** What the shaders call the alpha mode: 0 opaque, 1 mask, 2 blend. */
export const alphaModeOf = (key: number): number => (key >> ALPHA_SHIFT) & 3;

/** True when draws with this key are blended, and so sorted back to front. */
export const isBlendedKey = (key: number): boolean => (key & KeyBit.blended) !== 0;

/** True for opaque, lit triangles, which a deferred renderer lights when all of them are drawn. */
export const isSurfaceKey = (key: number): boolean =>
  (key & (KeyBit.blended | KeyBit.unlit)) === 0 && topologyOf(key).startsWith('triangle');

export function topologyOf(key: number): GPUPrimitiveTopology {
  const topology = DRAWN_TOPOLOGIES[(key >> TOPOLOGY_SHIFT) & 7] ?? 'facing';
  return topology === 'facing' ? 'triangle-list' : topology;
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
