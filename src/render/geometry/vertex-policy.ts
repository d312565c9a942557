import plainColors from '../../../shaders/plain-colors.wgsl?raw';
import type { DrawnTopology } from '../../proxy/commands.js';
import type { GeometryStore } from './geometry-store.js';

/**
 * A *vertex policy* places the vertices of a mesh. `staticVertices` is in this file. Skins and morph targets
 * (`deformers/`) and billboards (`billboard-vertices.ts`) have policies in their own modules.
 * `Scene.vertexPolicies` holds the policies by number.
 *   primitive ─► places? ─► number ─► bits of its pipeline key ─► policy ─► entry points and code of each shader
 *
 * Every draw is instanced, so instancing needs no policy: an instance is a slot of the GPU scene.
 */
export interface VertexPolicy {
  /** Index in `Scene.vertexPolicies`, below `VERTEX_POLICY_RANGE`. */
  readonly number: number;
  /**
   * Part of the names of the entry points: `place…Vertex` and `place…Picked`. A policy that casts shadows
   * also has `place…Caster` and `place…Masked`.
   */
  readonly name: string;
  /**
   * Suffix for the labels of shader modules. Policies with the same code have the same label and share
   * modules.
   */
  readonly label: string;
  /**
   * Part of the mesh shader: the entry point, `normalOf`, `tintOf` and `blendedColor`. The entry point of
   * `staticVertices` is in `mesh.wgsl` instead.
   */
  readonly code: string;
  /** Part of the shader for picking, after `code`. */
  readonly pickCode: string;
  /**
   * Part of the shader for shadow maps. `undefined`: primitives of this policy cast no shadows, and no caster
   * pipelines are created for them.
   */
  readonly casterCode?: string;
  /**
   * Per changed primitive: returns whether this policy places its vertices. If several policies do, the
   * highest number wins.
   */
  places(primitive: number, vertexFormat: number, topology: DrawnTopology | undefined): boolean;
  /**
   * Per moved primitive, only for the billboard policy: returns the metres by which vertices may lie outside
   * the geometry's box in world space. Returns 0 if another policy places the vertices.
   * @param world rows of `worldFromLocal`, from `matrix` on
   */
  reach?(geometries: GeometryStore, geometry: number, world: Float64Array, matrix: number): number;
}

/**
 * Number of the billboard policy. The policy stores nothing about a scene, so several scenes can share it.
 */
export const BILLBOARD_VERTICES = 3;

/** Places vertices by the transform of the primitive's node. This policy applies if no other policy does. */
export const staticVertices: VertexPolicy = {
  number: 0,
  name: '',
  label: '',
  code: `fn normalOf(input: Varying, isFrontFacing: bool) -> vec3f { return normalize(input.normal); }\n${plainColors}`,
  pickCode: '',
  casterCode: '',
  places: () => true,
};
