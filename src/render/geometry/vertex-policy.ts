import plainColors from '../../../shaders/plain-colors.wgsl?raw';
import type { DrawnTopology } from '../../proxy/commands.js';
import type { GeometryStore } from './geometry-store.js';

/**
 * A *vertex policy* places the vertices of a mesh: `staticVertices` here, and a module each for skins and morph targets
 * (`deformers/`) and for lines, points and sprites (`billboards/`). `Scene.vertexPolicies` holds them by number.
 *
 *   primitive ─► places? ─► number ─► bits of its pipeline key ─► policy ─► entry points and code of each shader
 *
 * Every draw is instanced, so there is no policy for that: an instance is a slot of the GPU scene.
 */
export interface VertexPolicy {
  /** Its place in `Scene.vertexPolicies`, below `VERTEX_POLICY_RANGE`. */
  readonly number: number;
  /** In the names of its entry points: `place…Vertex` and `place…Picked`; `place…Caster` and `place…Masked`, if it casts shadows. */
  readonly name: string;
  /** Ends the labels of shader modules. Policies with the same code have the same one, and share modules. */
  readonly label: string;
  /** Joined to the mesh shader: the entry point, `normalOf`, `tintOf` and `blendedColor`. */
  readonly code: string;
  /** Joined to the shader of picking, behind `code`. */
  readonly pickCode: string;
  /** Joined to the shader of shadow maps; none: what it places casts no shadows, and has no pipelines for that. */
  readonly casterCode?: string;
  /** Per changed primitive: whether it places its vertices, if no policy with a higher number does. */
  places(primitive: number, vertexFormat: number, topology: DrawnTopology | undefined): boolean;
  /**
   * Per moved primitive, of the policy for what faces the camera: metres by which vertices may lie beyond the box of their geometry, as
   * the node moves that; 0 where another policy places them.
   * @param world rows of `worldFromLocal`, from `matrix` on
   */
  reach?(geometries: GeometryStore, geometry: number, world: Float64Array, matrix: number): number;
}

/** Number of the policy for what faces the camera. It keeps nothing of a scene, so that several can share it. */
export const BILLBOARD_VERTICES = 3;

/** Vertices that lie where the primitive's node has them: what no other policy places. */
export const staticVertices: VertexPolicy = {
  number: 0,
  name: '',
  label: '',
  code: `fn normalOf(input: Varying, isFrontFacing: bool) -> vec3f { return normalize(input.normal); }\n${plainColors}`,
  pickCode: '',
  casterCode: '',
  places: () => true,
};
