import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { StorageBuffer } from '../buffers/storage-buffer.js';
import type { DrawStates } from '../keys/draw-states.js';
import type { ViewParameters } from './view-parameters.js';

/**
 * A feature that follows the primitives of the scene. It is added to `Scene.features` when it is created.
 */
export interface SceneFeature {
  /** Removes the feature's data of a primitive that was replaced or destroyed. */
  detach(primitive: number): void;
}

/** The feature that moves vertices within their mesh (`deformers/`). */
export interface SceneDeformers extends SceneFeature {
  /** Buffers whose contents change with poses: palettes of joints, and records of morph targets. */
  readonly poses: readonly [StorageBuffer, StorageBuffer];
  /** Per moved primitive: returns whether the feature places it, instead of its node. */
  places(primitive: number): boolean;
  /**
   * Returns the box around the primitive's vertices, centre and half extents. `undefined` if the geometry's
   * box applies.
   */
  morphedBox(primitive: number): Float32Array | undefined;
  /**
   * Per animated node and frame: sets the morph weights of the primitives on a node from clips.
   * @param sums weights from clips, by morph target
   * @param restShare factor on the game's own weights, which are added
   * @returns whether a weight has changed
   */
  driveWeights(node: number, sums: Float32Array, restShare: number): boolean;
  /** Gives the skin of a primitive to another primitive of the same mesh. */
  lendSkin(from: number, to: number): void;
  /** Frees the morph targets of a geometry that was replaced or destroyed. */
  destroyGeometry(geometry: number): void;
  /** Per frame, after nodes and primitives have been placed: updates the data of changed deformers. */
  update(): void;
  /** Per frame: uploads changed data. */
  upload(rhi: ImmediateContext): void;
  dispose(rhi: ImmediateContext): void;
}

/** The feature that chooses geometries by size on the screen (`lods/`). */
export interface SceneLods extends SceneFeature {
  /** Whether partners exist: primitives for the coarser of two levels. The game does not know partners. */
  readonly hasPartners: boolean;
  /** Per frame, after nodes have been propagated: chooses the level of each primitive. */
  update(view: ViewParameters | undefined): void;
  /** Per changed primitive: returns the key with which it is drawn. @param key key without fading */
  keyOf(primitive: number, key: number, drawStates: DrawStates): number;
  /** Returns the fade of a primitive, as bits of `Primitive.flags`. */
  fadeOf(primitive: number): number;
  /** Per pick: removes partners from `bits`, because a pick shows only the finer of two levels. */
  clearPartners(bits: Uint32Array): void;
}
