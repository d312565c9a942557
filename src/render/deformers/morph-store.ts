import type { StreamReader } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { Suballocator } from '../../rhi/memory/suballocator.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import type { Scene } from '../scene/scene.js';
import { BOX, DELTA_SLOT, MOST_SLOTS, type MorphTargets, morphTargetsOf } from './morph-targets.js';

/** Words of a slot, the unit in which the buffer of records is allocated. */
const RECORD_SLOT = 16;
/** Words of a record before the weights; see shaders/morphs.wgsl. */
const RECORD_HEADER = 5;

interface MorphedPrimitive {
  readonly geometry: number;
  /** Weights that the game has set. */
  readonly rest: Float32Array;
  /** Weights in use. They equal `rest` unless clips drive them. */
  readonly weights: Float32Array;
  /** First slot of the primitive's record. */
  readonly record: number;
  /** Centre and half extents of the box for the current weights, in the mesh's space. */
  readonly box: Float32Array;
  /** Longest distance that a vertex is moved along each axis. */
  readonly slack: Float32Array;
  /**
   * First vertex that the record names. If it differs from the geometry's, the geometry has moved in its
   * buffer.
   */
  firstVertex: number;
  isStale: boolean;
  isDriven: boolean;
}

/**
 * The part of `SkinStore` that morph targets call. Skins must update their bounds when targets change the shape of a
 * mesh.
 */
interface ReshapeListener {
  has(primitive: number): boolean;
  reshaped(primitive: number): void;
}

/**
 * Stores morph targets: shapes to which a geometry's vertices can be moved. Each primitive has weights that
 * mix the targets.
 *
 *   geometry ─► deltas of all its targets, on the GPU as long as the geometry exists
 *   primitive ─► record: index of the deltas, and weights, which the game sets (*rest*) or clips compute
 */
export class MorphStore {
  readonly #primitives = new Map<number, MorphedPrimitive>();
  readonly records = new StorageBuffer('morph records', RECORD_SLOT);
  readonly #recordRanges = new Suballocator(MOST_SLOTS);
  readonly #scene: Scene;
  readonly #geometries: GeometryStore;
  readonly #targets: MorphTargets;
  readonly #skins: ReshapeListener;

  constructor(scene: Scene, geometries: GeometryStore, skins: ReshapeListener) {
    this.#scene = scene;
    this.#geometries = geometries;
    this.#skins = skins;
    this.#targets = morphTargetsOf(geometries);
    this.#targets.users++;
    // Primitives without targets use record 0.
    this.#recordRanges.allocate(1);
    this.records.reserve(1);
  }

  get version(): number {
    return this.records.version + this.#targets.deltas.version;
  }

  get buffers() {
    return [this.records.handle, this.#targets.deltas.handle] as const;
  }

  has(primitive: number): boolean {
    return this.#primitives.has(primitive);
  }

  /**
   * Returns the box around the primitive's vertices, centre and half extents. `undefined` if the primitive has no morph
   * targets; the geometry's box is then right.
   */
  boxOf(primitive: number): Float32Array | undefined {
    return this.#primitives.get(primitive)?.box;
  }

  /** Returns the longest distance by which targets move a vertex, along each axis. */
  slackOf(primitive: number): Float32Array | undefined {
    return this.#primitives.get(primitive)?.slack;
  }

  execute(reader: StreamReader): void {
    if (reader.opcode === RenderOpcode.setMorphTargets) this.#targets.set(reader);
    else this.#setWeights(reader);
  }

  /** Frees the targets of a geometry that was replaced or destroyed. */
  destroyGeometry(geometry: number): void {
    this.#targets.destroy(geometry);
  }

  /** Removes the record of a primitive that was replaced or destroyed. */
  detach(primitive: number): void {
    const morphed = this.#primitives.get(primitive);
    if (!morphed) return;
    this.#primitives.delete(primitive);
    this.#recordRanges.free(morphed.record);
    this.#scene.gpuScene.setWord(primitive, GpuPrimitive.at.morph, 0);
  }

  /**
   * Sets the weights of a node's primitives from clips: `sums`, plus the game's weights times `restShare`.
   * @returns whether a weight has changed
   */
  drive(node: number, sums: Float32Array, restShare: number): boolean {
    const { firstOnNode, nextOnNode } = this.#scene.primitives;
    let hasChanged = false;
    for (
      let primitive = firstOnNode[node] ?? -1;
      primitive >= 0;
      primitive = nextOnNode[primitive] as number
    ) {
      const morphed = this.#primitives.get(primitive);
      if (!morphed) continue;
      const { weights, rest } = morphed;
      morphed.isDriven = restShare !== 1;
      for (let target = 0; target < weights.length; target++) {
        const before = weights[target];
        weights[target] = (sums[target] ?? 0) + restShare * (rest[target] as number);
        if (weights[target] !== before) morphed.isStale = hasChanged = true;
      }
    }
    return hasChanged;
  }

  /** Per frame, after geometry has been uploaded and primitives placed: writes changed records. */
  update(): void {
    for (const [primitive, morphed] of this.#primitives) {
      const firstVertex = this.#geometries.baseVertex[morphed.geometry] as number;
      if (!morphed.isStale && morphed.firstVertex === firstVertex) continue;
      morphed.isStale = false;
      morphed.firstVertex = firstVertex;
      this.#writeRecord(morphed);
      if (this.#skins.has(primitive)) this.#skins.reshaped(primitive);
      else this.#scene.reshaped(primitive);
    }
  }

  /** Per frame: uploads changed records and deltas. */
  upload(rhi: ImmediateContext): void {
    this.#targets.deltas.upload(rhi);
    this.records.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.records.dispose(rhi);
    this.#targets.leave(rhi);
  }

  #setWeights({ words, floats, fields: at }: StreamReader): void {
    const primitive = words[at] as number;
    const count = words[at + 1] as number;
    if (!this.#scene.primitives.has(primitive)) return;
    const morphed = this.#primitives.get(primitive) ?? this.#create(primitive, count);
    for (let target = 0; target < count; target++) {
      morphed.rest[target] = floats[at + 2 + target] as number;
      if (!morphed.isDriven) morphed.weights[target] = morphed.rest[target] as number;
    }
    morphed.isStale = true;
  }

  #create(primitive: number, count: number): MorphedPrimitive {
    const scene = this.#scene;
    const slots = Math.ceil((RECORD_HEADER + count) / RECORD_SLOT);
    const record = this.#recordRanges.allocate(slots) ?? 0;
    this.records.reserve(record + slots);
    const geometry = scene.primitives.geometry[primitive] as number;
    const morphed: MorphedPrimitive = {
      geometry,
      rest: new Float32Array(count),
      weights: new Float32Array(count),
      record,
      box: this.#geometries.bounds.slice(geometry * BOX, (geometry + 1) * BOX),
      slack: new Float32Array(3),
      firstVertex: -1,
      isStale: true,
      isDriven: false,
    };
    this.#primitives.set(primitive, morphed);
    scene.gpuScene.setWord(primitive, GpuPrimitive.at.morph, record * RECORD_SLOT);
    scene.primitiveChanged(primitive);
    return morphed;
  }

  /** Writes a record, and computes the primitive's box. Called per changed primitive. */
  #writeRecord({ geometry, weights, record, box, slack, firstVertex }: MorphedPrimitive): void {
    const targets = this.#targets.get(geometry);
    const { words, floats, dirty } = this.records;
    const at = record * RECORD_SLOT;
    const count = targets ? Math.min(weights.length, targets.boxes.length / BOX) : 0;
    words[at] = count;
    words[at + 1] = (targets?.first ?? 0) * DELTA_SLOT;
    words[at + 2] = firstVertex;
    words[at + 3] = targets?.vertexCount ?? 0;
    words[at + 4] = targets?.size ?? 0;
    floats.set(weights, at + RECORD_HEADER);
    const slots = Math.ceil((RECORD_HEADER + weights.length) / RECORD_SLOT);
    for (let slot = record; slot < record + slots; slot++) dirty.mark(slot);
    const { bounds } = this.#geometries;
    for (let axis = 0; axis < 3; axis++) {
      let low = 0;
      let high = 0;
      for (let target = 0; target < count; target++) {
        const weight = weights[target] as number;
        const a = weight * (targets?.boxes[target * BOX + axis] as number);
        const b = weight * (targets?.boxes[target * BOX + 3 + axis] as number);
        low += Math.min(a, b);
        high += Math.max(a, b);
      }
      box[axis] = (bounds[geometry * BOX + axis] as number) + (low + high) / 2;
      box[3 + axis] = (bounds[geometry * BOX + 3 + axis] as number) + (high - low) / 2;
      slack[axis] = Math.max(-low, high, 0);
    }
  }
}
