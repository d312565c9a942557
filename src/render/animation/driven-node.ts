import {
  addDifference,
  addToPose,
  clearPose,
  createPose,
  finishPose,
  type Pose,
} from '../../proxy/motion/clip.js';
import type { NodeHierarchy } from '../scene/node-hierarchy.js';

const TRANSFORM_FLOATS = 10;

/**
 * The local transform that clips give to a node: the sum of the playbacks, each by its own weight. If the
 * weights add up to less than 1, the game's transform (the *rest*) fills the difference. The rest is the
 * transform at the start of the first playback, until the game writes a new one.
 *
 *   begin ─► rest, pose of 0 ─► add, per track ─► finish ─► add, per additive track ─► write: local transform
 */
export class DrivenNode {
  /** Number of playback tracks that drive the node. */
  tracks = 0;
  readonly node: number;
  readonly #nodes: NodeHierarchy;
  readonly #rest: Float32Array;
  readonly #pose: Pose = createPose();
  /** Values written last. A value that differs from them is a change by the game. */
  readonly #written: Float32Array;
  /** The node's id as a list, as `NodeHierarchy.setTransforms` takes it. */
  readonly #list: Uint32Array;

  constructor(nodes: NodeHierarchy, node: number) {
    this.#nodes = nodes;
    this.node = node;
    this.#list = new Uint32Array([node]);
    const at = node * TRANSFORM_FLOATS;
    this.#rest = nodes.local.slice(at, at + TRANSFORM_FLOATS);
    this.#written = this.#rest.slice();
  }

  /**
   * Per list: stores the values that the game has written since the last list as the rest, and clears the
   * pose.
   */
  begin(): void {
    const { local } = this.#nodes;
    const rest = this.#rest;
    const written = this.#written;
    const at = this.node * TRANSFORM_FLOATS;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      const value = local[at + index] as number;
      if (value !== written[index]) rest[index] = value;
    }
    clearPose(this.#pose);
  }

  /**
   * Per track and list: adds a sampled value to the pose.
   * @param path translation, rotation or scale, as `ClipPath`
   * @param first in additive playbacks: the clip's first value, which is subtracted from `value`; null:
   * `value` itself is added
   */
  add(path: number, value: Float32Array, first: Float32Array | null, weight: number): void {
    if (first) addDifference(this.#pose, path, value, first, weight);
    else addToPose(this.#pose, path, value, 0, weight);
  }

  /** Per list, after all tracks except the additive ones: fills the pose with the rest. */
  finish(): void {
    finishPose(this.#pose, this.#rest);
  }

  /** Puts the node back to the game's transform, when no clip drives it any more. */
  restore(): void {
    this.begin();
    this.finish();
    this.write();
  }

  /** Per list: writes the pose as the node's local transform. @returns whether the transform has changed */
  write(): boolean {
    const nodes = this.#nodes;
    const { values } = this.#pose;
    const written = this.#written;
    const at = this.node * TRANSFORM_FLOATS;
    let isSame = true;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      if (values[index] !== nodes.local[at + index]) isSame = false;
      written[index] = values[index] as number;
    }
    if (isSame) return false;
    nodes.setTransforms(this.#list, 0, 1, values, 0);
    return true;
  }
}
