import plainColors from '../../../shaders/plain-colors.wgsl?raw';
import type { DrawnTopology } from '../../proxy/commands.js';
import type { GeometryStore } from './geometry-store.js';

/**
 * A *vertex policy* places the vertices of a mesh: `staticVertices` here, and a module each for skins and
 * morph targets (`deformers/`) and for lines, points and sprites (`billboards/`). `Scene.vertexPolicies`
 * holds them by number.
 *   primitive ─► places? ─► number ─► bits of its pipeline key ─► policy ─► entry points and code of each shader
 *
 * Every draw is instanced, so instancing needs no policy: an instance is a slot of the GPU scene.
 */
export interface VertexPolicy {
  /** Index in `Scene.vertexPolicies`, below `VERTEX_POLICY_RANGE`. */
  readonly number: number;
  /**
   * Part of the names of its entry points: `place…Vertex` and `place…Picked`; also `place…Caster` and
   * `place…Masked`, if it casts shadows.
   */
  readonly name: string;
  /**
   * Suffix for the labels of shader modules. Policies with the same code have the same label and share
   * modules.
   */
  readonly label: string;
  /**
   * Part of the mesh shader: the entry point, `normalOf`, `tintOf` and `blendedColor`. The entry point is
   * missing for `staticVertices`: it is in `mesh.wgsl`.
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
   * Per changed primitive: whether this policy places its vertices. The policy with the highest number wins.
   */
  places(primitive: number, vertexFormat: number, topology: DrawnTopology | undefined): boolean;
  /**
   * Per moved primitive, only for the billboard policy: returns the metres by which vertices may lie outside
   * the geometry's box, as the node moves it. Returns 0 if another policy places the vertices.
   * @param world rows of `worldFromLocal`, from `matrix` on
   */
  reach?(geometries: GeometryStore, geometry: number, world: Float64Array, matrix: number): number;
}

/**
 * Number of the billboard policy. The policy stores nothing about a scene, so several scenes can share it.
 */
export const BILLBOARD_VERTICES = 3;

/** Places vertices where the primitive's node has them. It applies if no other policy does. */
export const staticVertices: VertexPolicy = {
  number: 0,
  name: '',
  label: '',
  code: `fn normalOf(input: Varying, isFrontFacing: bool) -> vec3f { return normalize(input.normal); }\n${plainColors}`,
  pickCode: '',
  casterCode: '',
  places: () => true,
};
