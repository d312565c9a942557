import {
  addDifference,
  addToPose,
  clearPose,
  createPose,
  finishPose,
  type Pose,
} from '../../proxy/motion/clip.js';
import { TRANSFORM_NUMBERS } from '../../proxy/transform-array.js';
import type { NodeHierarchy } from '../scene/node-hierarchy.js';

/** The node's current transform. */
const current = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);

/**
 * The local transform that clips give to a node: the sum of the playbacks' values, each multiplied by its weight. If
 * the weights add up to less than 1, the game's transform (the *rest*) fills the difference. The rest is the transform
 * at the start of the first playback, until the game writes a new one.
 *
 *   begin ─► rest, pose of 0 ─► add, per track ─► finish ─► add, per additive track ─► write: local transform
 */
export class DrivenNode {
  /** Number of playback tracks that drive the node. */
  tracks = 0;
  readonly node: number;
  readonly #nodes: NodeHierarchy;
  readonly #rest: Float64Array;
  readonly #pose: Pose = createPose();
  /** Values written last. If a current value differs, the game has changed it. */
  readonly #written: Float64Array;

  constructor(nodes: NodeHierarchy, node: number) {
    this.#nodes = nodes;
    this.node = node;
    const memory = new Float64Array(2 * TRANSFORM_NUMBERS);
    this.#rest = memory.subarray(0, TRANSFORM_NUMBERS);
    this.#written = memory.subarray(TRANSFORM_NUMBERS);
    nodes.local.read(node, this.#rest);
    this.#written.set(this.#rest);
  }

  /**
   * Per command list: updates the rest with the values that the game has written since the last command list, and
   * clears the pose.
   */
  begin(): void {
    const rest = this.#rest;
    const written = this.#written;
    this.#nodes.local.read(this.node, current);
    for (let index = 0; index < TRANSFORM_NUMBERS; index++) {
      const value = current[index] as number;
      if (value !== written[index]) rest[index] = value;
    }
    clearPose(this.#pose);
  }

  /**
   * Per track and command list: adds a sampled value to the pose.
   * @param path position, rotation or scale, as `ClipPath`
   * @param first in additive playbacks: the clip's first value, so that the change from `first` to `value` is added;
   * null: `value` itself is added
   */
  add(path: number, value: Float32Array, first: Float32Array | null, weight: number): void {
    if (first) addDifference(this.#pose, path, value, first, weight);
    else addToPose(this.#pose, path, value, 0, weight);
  }

  /** Per command list, after all tracks except the additive ones: adds the rest with the weight that is left. */
  finish(): void {
    finishPose(this.#pose, this.#rest);
  }

  /** Restores the game's transform. Called when no clip drives the node any more. */
  restore(): void {
    this.begin();
    this.finish();
    this.write();
  }

  /** Per command list: writes the pose as the node's local transform. @returns whether the transform has changed */
  write(): boolean {
    const nodes = this.#nodes;
    const hasChanged = nodes.setLocal(this.node, this.#pose.values);
    nodes.local.read(this.node, this.#written);
    return hasChanged;
  }
}
