import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { DrawStates } from '../keys/draw-states.js';
import type { ViewParameters } from './view-parameters.js';

/**
 * A feature that follows the primitives of the scene. It registers in `Scene.features` when it is created.
 */
export interface SceneFeature {
  /** Called when the primitive was replaced or destroyed. */
  detach(primitive: number): void;
}

/** The feature that moves vertices within their mesh (`deformers/`). */
export interface SceneDeformers extends SceneFeature {
  /** Per moved primitive: whether the feature places it, and its node does not. */
  places(primitive: number): boolean;
  /**
   * Returns the box around the primitive's vertices, centre and half extents; undefined: the geometry's box
   * is right.
   */
  morphedBox(primitive: number): Float32Array | undefined;
  /**
   * Per clip and frame: drives the weights of the primitives on a node.
   * @returns whether a weight has changed
   */
  driveWeights(node: number, sums: Float32Array, restShare: number): boolean;
  /** Gives another primitive of the same mesh the same skin. */
  lendSkin(from: number, to: number): void;
  /** Called when the geometry was replaced or destroyed. */
  destroyGeometry(geometry: number): void;
  /** Per frame, after nodes have been propagated and primitives placed. */
  update(): void;
  /** Per frame. */
  upload(rhi: ImmediateContext): void;
  dispose(rhi: ImmediateContext): void;
}

/** The feature that chooses geometries by size on the screen (`lods/`). */
export interface SceneLods extends SceneFeature {
  /** Whether partners exist: primitives for the coarser of two levels. The game does not know them. */
  readonly hasPartners: boolean;
  /** Per frame, after nodes have been propagated. */
  update(view: ViewParameters | undefined): void;
  /** Per changed primitive: returns the key that it is drawn with. @param key without fading */
  keyOf(primitive: number, key: number, drawStates: DrawStates): number;
  /** Returns the fade of a primitive, as bits of `Primitive.flags`. */
  fadeOf(primitive: number): number;
  /** Per pick: removes partners, because a pick shows only the finer of two levels. */
  clearPartners(bits: Uint32Array): void;
}
