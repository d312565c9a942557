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
 * A node's local transform as clips give it: the sum of the playbacks, each by its own weight. If the weights add up to less than 1,
 * the rest is the game's: what the node has when its first playback begins, and whatever the game writes after that.
 *
 *   begin ─► rest, pose of 0 ─► add, per track ─► finish ─► add, per additive track ─► write: local transform
 */
export class DrivenNode {
  /** Tracks of playbacks that drive it. */
  tracks = 0;
  readonly node: number;
  readonly #nodes: NodeHierarchy;
  readonly #rest: Float32Array;
  readonly #pose: Pose = createPose();
  /** Values that were written last, by which a change of the game's is noticed. */
  readonly #written: Float32Array;
  /** As a list of nodes, for the hierarchy. */
  readonly #list: Uint32Array;

  constructor(nodes: NodeHierarchy, node: number) {
    this.#nodes = nodes;
    this.node = node;
    this.#list = new Uint32Array([node]);
    const at = node * TRANSFORM_FLOATS;
    this.#rest = nodes.local.slice(at, at + TRANSFORM_FLOATS);
    this.#written = this.#rest.slice();
  }

  /** Per list: what the game has written since the last one is the rest. */
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
   * Per track and list.
   * @param path translation, rotation or scale, as `ClipPath`
   * @param first what the clip begins with, where the difference from it is added; null: the value itself is
   */
  add(path: number, value: Float32Array, first: Float32Array | null, weight: number): void {
    if (first) addDifference(this.#pose, path, value, first, weight);
    else addToPose(this.#pose, path, value, 0, weight);
  }

  /** Per list, when all have been added but the additive ones. */
  finish(): void {
    finishPose(this.#pose, this.#rest);
  }

  /** Nothing drives it any more: it is where the game has put it. */
  restore(): void {
    this.begin();
    this.finish();
    this.write();
  }

  /** Per list. @returns whether the transform is other than it was */
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
