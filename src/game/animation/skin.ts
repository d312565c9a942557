/**
 * A skin: joints that move the vertices of meshes. Joints are ordinary actors of the level. A skin is created when a
 * file is loaded, and shared by the meshes to which the file assigns it.
 *
 *   joint.destroy ─► loseJoint stores its last matrix ─► next update sends the skin again: this matrix, not a node
 *
 * So vertices stay where a destroyed joint has left them, in this stream and in every later one.
 */
import { writeDouble } from '../../core/records/wide-words.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import type { SkinDescription } from '../../proxy/scene-description.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import { deformedTriangles } from '../geometry/deformed-triangles.js';
import type { Geometry } from '../geometry/geometry.js';
import { inverseRows } from '../transforms/inverse-rows.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import { JointPose } from './joint-pose.js';

const ROWS = 12;
const BOX = 6;

export class Skin {
  /** The joints; `null` for a destroyed joint. */
  readonly #joints: (SceneComponent | null)[];
  readonly #matrices: Float32Array;
  #pose: JointPose;
  readonly #rows: Float64Array;
  /** Rows of the world-from-mesh matrix at the time of a joint's destruction, by index of the joint. */
  readonly #lost = new Map<number, Float64Array>();
  /** Components with this skin, by id of their primitive on the render side. */
  readonly #primitives = new Map<number, PrimitiveComponent>();
  #id = 0;
  /** The stream that the skin was sent to; null if it has to be sent again. */
  #sentTo: unknown = null;

  constructor(joints: readonly (SceneComponent | null)[], { matrices }: Pick<SkinDescription, 'matrices'>) {
    this.#joints = [...joints];
    this.#matrices = matrices;
    this.#pose = new JointPose(this.#joints);
    this.#rows = new Float64Array(joints.length * ROWS);
    this.#watchJoints();
  }

  /**
   * Returns the skin for a clone, in which copied joints replace the originals. If no joint was copied, the clone
   * shares this skin, unless all joints are destroyed.
   */
  withJoints(copies: ReadonlyMap<SceneComponent, SceneComponent>): Skin {
    const isLost = this.#joints.every((joint) => !joint);
    if (!isLost && !this.#joints.some((joint) => joint && copies.has(joint))) return this;
    const copy = new Skin(
      this.#joints.map((joint) => (joint && copies.get(joint)) ?? joint),
      { matrices: this.#matrices },
    );
    for (const [joint, rows] of this.#lost) copy.#lost.set(joint, rows.slice());
    return copy;
  }

  /**
   * Transforms the rows of destroyed joints from the original's place to the copy's. Call this before the copy is
   * sent.
   */
  carryLost(original: SceneComponent, copy: SceneComponent): void {
    const from = original.worldFromLocal([]);
    const to = copy.worldFromLocal([]);
    const inverse = inverseRows(from);
    if (!inverse) return;
    for (const rows of this.#lost.values()) {
      for (let column = 0; column < 4; column++) {
        const at = (row: number): number =>
          (rows[row * 4 + column] as number) - (column === 3 ? (from[12 + row] as number) : 0);
        const local = inverse.map(([x, y, z]) => x * at(0) + y * at(1) + z * at(2));
        for (let row = 0; row < 3; row++) {
          let sum = column === 3 ? (to[12 + row] as number) : 0;
          for (let axis = 0; axis < 3; axis++)
            sum += (to[axis * 4 + row] as number) * (local[axis] as number);
          rows[row * 4 + column] = sum;
        }
      }
    }
  }

  /** Attaches a primitive to this skin on the render side. Sends the skin first if the stream does not have it. */
  attach(updates: SceneUpdates, primitive: number, component: PrimitiveComponent): void {
    const { writer } = updates;
    const { jointBoxes = new Float32Array(0) } = component.geometry;
    if (this.#primitives.size === 0) {
      this.#id = updates.skins.allocate();
      this.#watchJoints();
    }
    this.#primitives.set(primitive, component);
    if (this.#sentTo !== writer) {
      this.#sentTo = writer;
      this.#send(updates);
    }
    const at = writer.reserve(RenderOpcode.attachSkin, 3 + jointBoxes.length);
    writer.words[at] = primitive;
    writer.words[at + 1] = this.#id;
    writer.words[at + 2] = jointBoxes.length;
    writer.floats.set(jointBoxes, at + 3);
  }

  /** Removes a primitive. After the last one, the skin is destroyed on the render side. */
  detach(updates: SceneUpdates, primitive: number): void {
    if (!this.#primitives.delete(primitive) || this.#primitives.size > 0) return;
    updates.destroyedSkins.push(this.#id);
    this.#sentTo = null;
    for (const joint of this.#joints) joint?.skins?.delete(this);
  }

  /** Stores the last place of a joint. Called before the joint is destroyed, while it still has its transform. */
  loseJoint(component: SceneComponent): void {
    this.#joints.forEach((joint, index) => {
      if (joint !== component) return;
      const rows = new Float64Array(ROWS);
      this.#writeRows(joint.worldFromLocal([]), index, rows, 0);
      this.#lost.set(index, rows);
      this.#joints[index] = null;
    });
    this.#pose = new JointPose(this.#joints);
    this.#sentTo = null;
    for (const mesh of this.#primitives.values()) mesh.updates?.flag(mesh, DirtyFlag.renderState);
  }

  /**
   * Adds the skin to its joints, which call `loseJoint` when they are destroyed. After the last mesh, `detach` removes
   * the skin from the joints. Otherwise joints that live on would keep the skin in memory.
   */
  #watchJoints(): void {
    for (const joint of this.#joints) {
      // The joint was destroyed while no mesh used the skin.
      if (joint?.isDestroyed) this.loseJoint(joint);
      else if (joint) {
        joint.skins ??= new Set();
        joint.skins.add(this);
      }
    }
  }

  /**
   * Grows a world-space box so that it contains a mesh's vertices at the joints' current places.
   * @param slack how far vertices may lie outside the joints' boxes, along each axis in the mesh's space
   */
  grow(
    min: number[],
    max: number[],
    { jointBoxes = new Float32Array(0) }: Geometry,
    slack: readonly number[] = [0, 0, 0],
  ): void {
    const rows = this.palette();
    for (let joint = 0; joint * BOX < jointBoxes.length; joint++) {
      if (joint >= this.#joints.length || (jointBoxes[joint * BOX + 3] as number) < 0) continue;
      for (let row = 0; row < 3; row++) {
        const from = joint * ROWS + row * 4;
        let center = rows[from + 3] as number;
        let extent = 0;
        for (let axis = 0; axis < 3; axis++) {
          const factor = rows[from + axis] as number;
          center += factor * (jointBoxes[joint * BOX + axis] as number);
          const half = (jointBoxes[joint * BOX + 3 + axis] as number) + (slack[axis] as number);
          extent += Math.abs(factor) * half;
        }
        min[row] = Math.min(min[row] as number, center - extent);
        max[row] = Math.max(max[row] as number, center + extent);
      }
    }
  }

  /** Returns the triangles that rays test for a skinned mesh. */
  readonly trianglesOf = deformedTriangles;

  /**
   * Returns three rows of the world-from-mesh matrix per joint, for the joints' current places. The array is
   * reused.
   */
  palette(): Float64Array {
    const rows = this.#rows;
    if (!this.#pose.update()) return rows;
    this.#joints.forEach((joint, index) => {
      if (joint) this.#writeRows(this.#pose.worldFromJoint(index), index, rows, index * ROWS);
    });
    for (const [joint, lost] of this.#lost) rows.set(lost, joint * ROWS);
    return rows;
  }

  #writeRows(world: readonly number[], index: number, rows: Float64Array, at: number): void {
    const bind = this.#matrices;
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) {
        let sum = column === 3 ? (world[12 + row] as number) : 0;
        for (let axis = 0; axis < 3; axis++) {
          sum += (world[axis * 4 + row] as number) * (bind[index * ROWS + axis * 4 + column] as number);
        }
        rows[at + row * 4 + column] = sum;
      }
    }
  }

  #send({ writer }: SceneUpdates): void {
    const joints = this.#joints;
    const matrices = this.#matrices;
    const at = writer.reserve(RenderOpcode.createSkin, 3 + joints.length + matrices.length * 2);
    const { words } = writer;
    words[at] = this.#id;
    words[at + 1] = joints.length;
    joints.forEach((joint, index) => {
      words[at + 2 + index] = joint ? joint.node : NO_ID;
    });
    words[at + 2 + joints.length] = matrices.length;
    const to = at + 3 + joints.length;
    for (let joint = 0; joint < joints.length; joint++) {
      const rows = this.#lost.get(joint) ?? matrices.subarray(joint * ROWS);
      for (let index = 0; index < ROWS; index++)
        writeDouble(words, to + (joint * ROWS + index) * 2, rows[index] as number);
    }
  }
}
