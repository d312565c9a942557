import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { DrawStates } from '../keys/draw-states.js';
import type { ViewParameters } from './view-parameters.js';

/** A feature of the scene, which hears of its primitives: it registers in `Scene.features` when it is created. */
export interface SceneFeature {
  /** The primitive is another one, or gone. */
  detach(primitive: number): void;
}

/** The feature that moves vertices within their mesh (`deformers/`). */
export interface SceneDeformers extends SceneFeature {
  /** Per moved primitive: whether the feature places it, and its node does not. */
  places(primitive: number): boolean;
  /** The box around its vertices, centre and half extents; undefined: its geometry's. */
  morphedBox(primitive: number): Float32Array | undefined;
  /** Per clip and frame: drives the weights of what hangs on the node. @returns whether any is another one */
  driveWeights(node: number, sums: Float32Array, restShare: number): boolean;
  /** Another primitive of the same mesh is moved by the same joints. */
  lendSkin(from: number, to: number): void;
  /** The geometry is another one, or gone. */
  destroyGeometry(geometry: number): void;
  /** Per frame, when nodes have been propagated and primitives placed. */
  update(): void;
  /** Per frame. */
  upload(rhi: ImmediateContext): void;
  dispose(rhi: ImmediateContext): void;
}

/** The feature that chooses geometries by size on the screen (`lods/`). */
export interface SceneLods extends SceneFeature {
  /** Whether a primitive belongs to another one, which is the one that the game knows. */
  readonly hasPartners: boolean;
  /** Per frame, when nodes have been propagated. */
  update(view: ViewParameters | undefined): void;
  /** Per changed primitive: what it is drawn with. @param key without fading */
  keyOf(primitive: number, key: number, drawStates: DrawStates): number;
  /** Returns the fade of a primitive, as bits of `Primitive.flags`. */
  fadeOf(primitive: number): number;
  /** Takes away what picks don't show: the coarser one of two levels. Per pick. */
  clearPartners(bits: Uint32Array): void;
}
