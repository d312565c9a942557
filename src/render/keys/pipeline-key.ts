import { DRAWN_TOPOLOGIES } from '../../proxy/commands.js';

/**
 * Everything about a primitive that its pipeline depends on, as bits: the layout and placing of its vertices,
 * and the number of its material's state.
 *   bit   0–3 vertex format │ 4–6 topology │ 7–9 vertex policy │ 10 mirrored │ 11 fading
 *         12–25 material state │ 26 back faces │ 27 front faces │ 28–30 free
 *
 * The choices of a material, features included, are interned as its state (`material-states.ts`), so a
 * feature needs no bit of the key. `widths.test.ts` checks that values fit into their fields, that no two
 * fields overlap, and how many bits are free.
 */
export const PIPELINE_KEY_BITS = 28;
/** Exclusive upper limit of the numbers of material states. */
export const MATERIAL_STATE_RANGE = 2 ** 14;
/** Exclusive upper limit of the numbers of vertex policies. */
export const VERTEX_POLICY_RANGE = 8;
const VERTEX_FORMAT_MASK = 15;
const TOPOLOGY_SHIFT = 4;
const VERTEX_POLICY_SHIFT = 7;
const MATERIAL_STATE_SHIFT = 12;

export enum KeyBit {
  /** A mirrored transform reverses the winding. */
  mirrored = 1 << 10,
  /** A level of detail fades into another. */
  fading = 1 << 11,
  /** Draws back faces only. With both bits, a primitive is drawn twice: its back faces, then its front faces. */
  backFaces = 1 << 26,
  /** Draws front faces only. */
  frontFaces = 1 << 27,
}
/** The bits that select faces. */
export const FACE_BITS = /* @__PURE__ */ KeyBit.backFaces | KeyBit.frontFaces;

/** Bits of a key that describe vertices: format, topology and policy. */
export const SHAPE_BITS =
  /* @__PURE__ */ VERTEX_FORMAT_MASK | (7 << TOPOLOGY_SHIFT) | (7 << VERTEX_POLICY_SHIFT);

/** Opaque triangles, lit, without textures: the key whose bits are all 0. */
export const PLAIN_PIPELINE = 0;

/** Per changed primitive: returns the key of everything that its pipeline depends on. */
export function pipelineKey(
  vertexFormat: number,
  topology: number,
  vertexPolicy: number,
  isMirrored: number,
  materialState: number,
): number {
  return (
    vertexFormat |
    (topology << TOPOLOGY_SHIFT) |
    (vertexPolicy << VERTEX_POLICY_SHIFT) |
    (isMirrored ? KeyBit.mirrored : 0) |
    (materialState << MATERIAL_STATE_SHIFT)
  );
}

/** Returns the number of the material's state, in `MaterialStates`. */
export const materialStateOf = (key: number): number =>
  (key >>> MATERIAL_STATE_SHIFT) & (MATERIAL_STATE_RANGE - 1);

/**
 * Returns a key with another material state.
 * @param bits bits to keep: bits of the vertices, and `KeyBit`s
 */
export const withMaterialState = (key: number, bits: number, materialState: number): number =>
  (key & bits) | (materialState << MATERIAL_STATE_SHIFT);

/** Returns the number of the policy that places the vertices. */
export const vertexPolicyOf = (key: number): number => (key >> VERTEX_POLICY_SHIFT) & 7;

export const vertexFormatOf = (key: number): number => key & VERTEX_FORMAT_MASK;

/** Returns the index in `DRAWN_TOPOLOGIES`. */
export const topologyNumberOf = (key: number): number => (key >> TOPOLOGY_SHIFT) & 7;

function topologyOf(key: number): GPUPrimitiveTopology {
  const topology = DRAWN_TOPOLOGIES[topologyNumberOf(key)] ?? 'billboards';
  return topology === 'billboards' ? 'triangle-list' : topology;
}

export const isTriangles = (key: number): boolean => topologyOf(key).startsWith('triangle');

/** Returns how vertices of a key form primitives, and which side of triangles is their front. */
export function primitiveState(key: number): GPUPrimitiveState & { readonly topology: GPUPrimitiveTopology } {
  const topology = topologyOf(key);
  return {
    topology,
    frontFace: key & KeyBit.mirrored ? 'cw' : 'ccw',
    ...(topology.endsWith('strip') ? { stripIndexFormat: 'uint32' } : {}),
  };
}

/** Returns which sides of triangles are not drawn. @param isTwoSided whether the material has two sides */
export function cullModeOf(key: number, isTwoSided: boolean): GPUCullMode {
  if (key & KeyBit.backFaces) return 'front';
  return key & KeyBit.frontFaces || !isTwoSided ? 'back' : 'none';
}
