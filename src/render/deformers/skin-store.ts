import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import type { BufferHandle } from '../../rhi/commands/descriptors.js';
import { Suballocator } from '../../rhi/memory/suballocator.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import type { Scene } from '../scene/scene.js';

/** Maximum number of joints in all skins together. Their matrices of 48 bytes take 768 MiB. */
const MOST_JOINTS = 2 ** 24;
const ROWS = 12;
const BOX = 6;

interface Skin {
  /** Node of each joint; NO_ID: the node was destroyed. */
  readonly joints: Uint32Array;
  /**
   * Matrix from the mesh's space to the joint's, 3 rows of 4 per joint. For a destroyed joint: from the
   * mesh's space to the world.
   */
  readonly bindMatrices: Float64Array;
  /** Index of the skin's first joint in the palettes. */
  readonly first: number;
  users: number;
  /** Whether the last `update` has computed the palette again. */
  isMoved: boolean;
  /** Whether the palette was computed since the last `createSkin`. */
  isMade: boolean;
}

interface SkinnedPrimitive {
  readonly skin: Skin;
  /**
   * By joint: centre and half extents of the vertices that the joint moves, in the mesh's space. A negative
   * extent means that the joint moves no vertex.
   */
  readonly boxes: Float32Array;
  isNew: boolean;
}

/**
 * Stores skins: the joints that move a mesh's vertices (SYSTEMS R1). A skin's palette has a matrix per joint,
 * and all primitives with the skin share it. The transforms of the primitives' own nodes are ignored, as glTF
 * demands.
 *
 *   createSkin ──────► sent again when a joint is destroyed, in the same frame: its vertices stay where they were
 *   nodes that moved ─► palettes: world × bind matrix, relative to the render origin ─► storage buffer
 *                   └─► bounds: the boxes of each joint's vertices, moved with it
 */
export class SkinStore {
  readonly #skins = new Map<number, Skin>();
  readonly #primitives = new Map<number, SkinnedPrimitive>();
  readonly palettes = new StorageBuffer('skin palettes', ROWS);
  readonly #ranges = new Suballocator(MOST_JOINTS);
  readonly #origin = new Float64Array(3).fill(Number.NaN);
  readonly #scene: Scene;
  readonly #slackOf: (primitive: number) => Float32Array | undefined;

  /**
   * @param slackOf returns the longest distance by which morph targets move a vertex, along each axis in the
   * mesh's space
   */
  constructor(scene: Scene, slackOf: (primitive: number) => Float32Array | undefined) {
    this.#scene = scene;
    this.#slackOf = slackOf;
    this.palettes.reserve(1);
  }

  get version(): number {
    return this.palettes.version;
  }

  get buffer(): BufferHandle {
    return this.palettes.handle;
  }

  /** Executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { words, fields, opcode } = reader;
    const id = words[fields] as number;
    if (opcode === RenderOpcode.createSkin) this.#create(id, reader);
    else if (opcode === RenderOpcode.destroySkin) this.#destroy(id);
    else this.#attach(id, reader);
  }

  /** Returns whether joints place the primitive, instead of its node. */
  has(primitive: number): boolean {
    return this.#primitives.has(primitive);
  }

  /** Marks the bounds stale, after morph targets or the material have changed the mesh's shape. */
  reshaped(primitive: number): void {
    const skinned = this.#primitives.get(primitive);
    if (skinned) skinned.isNew = true;
  }

  /** Releases the skin of a primitive that was replaced or destroyed. */
  detach(primitive: number): void {
    const skinned = this.#primitives.get(primitive);
    if (!skinned) return;
    this.#primitives.delete(primitive);
    this.#releaseSkin(skinned.skin);
  }

  /** Gives the skin of a primitive to another primitive of the same mesh. */
  lend(from: number, to: number): void {
    const skinned = this.#primitives.get(from);
    if (skinned) this.#add(to, skinned.skin, skinned.boxes);
  }

  /** Per frame, after nodes and primitives have been placed: computes changed palettes and bounds. */
  update(): void {
    const { renderOrigin } = this.#scene;
    let isOriginNew = false;
    for (let axis = 0; axis < 3; axis++) {
      if (this.#origin[axis] !== renderOrigin[axis]) isOriginNew = true;
      this.#origin[axis] = renderOrigin[axis] as number;
    }
    for (const skin of this.#skins.values()) this.#updatePalette(skin, isOriginNew);
    for (const [primitive, skinned] of this.#primitives) {
      if (!skinned.skin.isMoved && !skinned.isNew) continue;
      skinned.isNew = false;
      this.#updateBounds(primitive, skinned);
    }
  }

  /** Per frame: uploads changed palettes. */
  upload(rhi: ImmediateContext): void {
    this.palettes.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.palettes.dispose(rhi);
  }

  #create(id: number, { words, fields: at }: StreamReader): void {
    const count = words[at + 1] as number;
    const joints = words.slice(at + 2, at + 2 + count);
    const from = at + 3 + count;
    const bindMatrices = new Float64Array(count * ROWS);
    for (let index = 0; index < bindMatrices.length; index++) {
      bindMatrices[index] = readDouble(words, from + index * 2);
    }
    const before = this.#skins.get(id);
    if (before) {
      before.joints.set(joints);
      before.bindMatrices.set(bindMatrices);
      before.isMade = false;
      return;
    }
    const first = this.#ranges.allocate(Math.max(count, 1)) ?? 0;
    this.palettes.reserve(first + count);
    this.#skins.set(id, {
      joints,
      bindMatrices,
      first,
      users: 1,
      isMoved: false,
      isMade: false,
    });
  }

  #destroy(id: number): void {
    const skin = this.#skins.get(id);
    if (!skin) return;
    this.#skins.delete(id);
    this.#releaseSkin(skin);
  }

  #releaseSkin(skin: Skin): void {
    if (--skin.users === 0) this.#ranges.free(skin.first);
  }

  #attach(primitive: number, { words, floats, fields: at }: StreamReader): void {
    const skin = this.#skins.get(words[at + 1] as number);
    this.detach(primitive);
    if (!skin || !this.#scene.primitives.has(primitive)) return;
    this.#add(primitive, skin, floats.slice(at + 3, at + 3 + (words[at + 2] as number)));
  }

  #add(primitive: number, skin: Skin, boxes: Float32Array): void {
    skin.users++;
    this.#primitives.set(primitive, { skin, boxes, isNew: true });
    this.#scene.gpuScene.setWord(primitive, GpuPrimitive.at.palette, skin.first);
    // The word may hold the colour of an instance. Weights of morph targets follow this command and write the
    // word again.
    this.#scene.gpuScene.setWord(primitive, GpuPrimitive.at.morph, 0);
    this.#scene.primitiveChanged(primitive);
  }

  /** Per skin and frame: computes the palette if a joint or the render origin has moved, or if the skin is new. */
  #updatePalette(skin: Skin, isOriginNew: boolean): void {
    const { nodes, renderOrigin } = this.#scene;
    const { joints, bindMatrices, first } = skin;
    skin.isMoved = isOriginNew || !skin.isMade;
    for (let joint = 0; !skin.isMoved && joint < joints.length; joint++) {
      skin.isMoved = nodes.hasMoved(joints[joint] as number);
    }
    if (!skin.isMoved) return;
    skin.isMade = true;
    const { floats, dirty } = this.palettes;
    const { world } = nodes;
    for (let joint = 0; joint < joints.length; joint++) {
      const node = joints[joint] as number;
      const from = node * ROWS;
      const bind = joint * ROWS;
      const to = (first + joint) * ROWS;
      dirty.mark(first + joint);
      if (node === NO_ID) {
        for (let index = 0; index < ROWS; index++) {
          const origin = index % 4 === 3 ? (renderOrigin[index >> 2] as number) : 0;
          floats[to + index] = (bindMatrices[bind + index] as number) - origin;
        }
        continue;
      }
      for (let row = 0; row < 3; row++) {
        const a = world[from + row * 4] as number;
        const b = world[from + row * 4 + 1] as number;
        const c = world[from + row * 4 + 2] as number;
        const d = (world[from + row * 4 + 3] as number) - (renderOrigin[row] as number);
        for (let column = 0; column < 4; column++) {
          floats[to + row * 4 + column] =
            a * (bindMatrices[bind + column] as number) +
            b * (bindMatrices[bind + 4 + column] as number) +
            c * (bindMatrices[bind + 8 + column] as number) +
            (column === 3 ? d : 0);
        }
      }
    }
  }

  /**
   * Computes the box around the boxes of all joints. A vertex is a weighted mean of the places to which its joints
   * move it, so it lies within that box.
   */
  #updateBounds(primitive: number, { skin, boxes }: SkinnedPrimitive): void {
    const { primitives, nodes } = this.#scene;
    const { floats } = this.palettes;
    const { bounds } = primitives;
    const slack = this.#slackOf(primitive);
    // The material displaces vertices in the space of the node.
    const displacement = this.#scene.displacement(primitive);
    const matrix = (primitives.node[primitive] as number) * ROWS;
    const to = primitive * BOX;
    for (let row = 0; row < 3; row++) {
      let low = Infinity;
      let high = -Infinity;
      for (let joint = 0; joint * BOX < boxes.length; joint++) {
        const box = joint * BOX;
        if ((boxes[box + 3] as number) < 0) continue;
        const from = (skin.first + joint) * ROWS + row * 4;
        let center = floats[from + 3] as number;
        let extent = 0;
        for (let axis = 0; axis < 3; axis++) {
          const factor = floats[from + axis] as number;
          center += factor * (boxes[box + axis] as number);
          extent += Math.abs(factor) * ((boxes[box + 3 + axis] as number) + (slack?.[axis] ?? 0));
        }
        low = Math.min(low, center - extent);
        high = Math.max(high, center + extent);
      }
      let margin = 0;
      for (let axis = 0; displacement > 0 && axis < 3; axis++) {
        margin += displacement * Math.abs(nodes.world[matrix + row * 4 + axis] as number);
      }
      bounds[to + row] = low <= high ? (low + high) / 2 : 0;
      bounds[to + 3 + row] = low <= high ? (high - low) / 2 + margin : 0;
    }
    primitives.markChanged(primitive);
    this.#scene.setMirrored(primitive, isMirrored(floats, skin.first * ROWS));
  }
}

/**
 * Returns whether the skin mirrors. The first joint decides, because a skin mirrors as a whole or not at all.
 * @param at index of the first of 3 rows of 4
 */
function isMirrored(m: Float32Array, at: number): boolean {
  let determinant = 0;
  for (let column = 0; column < 3; column++) {
    const next = (column + 1) % 3;
    const last = (column + 2) % 3;
    determinant +=
      (m[at + column] as number) *
      ((m[at + 4 + next] as number) * (m[at + 8 + last] as number) -
        (m[at + 4 + last] as number) * (m[at + 8 + next] as number));
  }
  return determinant < 0;
}
