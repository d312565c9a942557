import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { type BindGroupEntry, ShaderStage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
import type { StorageBuffer } from '../buffers/storage-buffer.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import type { FrameExtension } from '../pipelines/frame-bindings.js';
import type { Scene } from '../scene/scene.js';
import type { SceneDeformers } from '../scene/scene-feature.js';
import { MorphStore } from './morph-store.js';
import { SkinStore } from './skin-store.js';

/** First of three bindings in bind group 0: palettes, records of morph targets, deltas of morph targets. */
const FIRST_BINDING = 13;

/**
 * Deformers move vertices within their mesh (SYSTEMS R1): first by morph targets, then by joints, in the
 * order of glTF. Each kind of deformer has its own vertex policy (`skinned-vertices.ts`,
 * `morphed-vertices.ts`). A primitive may have both kinds.
 */
export class Deformers implements FrameExtension, SceneDeformers {
  readonly layout: readonly GPUBindGroupLayoutEntry[] = [0, 1, 2].map((index) => ({
    binding: FIRST_BINDING + index,
    visibility: ShaderStage.vertex,
    buffer: { type: 'read-only-storage' },
  }));
  readonly #skins: SkinStore;
  readonly #morphs: MorphStore;
  readonly poses: readonly [StorageBuffer, StorageBuffer];
  readonly #scene: Scene;

  constructor(scene: Scene, geometries: GeometryStore) {
    this.#scene = scene;
    this.#skins = new SkinStore(scene, (primitive) => this.#morphs.slackOf(primitive));
    this.#morphs = new MorphStore(scene, geometries, this.#skins);
    this.poses = [this.#skins.palettes, this.#morphs.records];
  }

  get version(): number {
    return this.#skins.version + this.#morphs.version;
  }

  /** Entries of bind group 0: palettes, then records and deltas of morph targets. */
  get entries(): readonly BindGroupEntry[] {
    const buffers = [this.#skins.buffer, ...this.#morphs.buffers];
    return buffers.map((buffer, index) => ({ binding: FIRST_BINDING + index, buffer }));
  }

  /** Executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { words, fields, opcode } = reader;
    if (opcode === RenderOpcode.setMorphTargets) this.#morphs.execute(reader);
    else if (opcode === RenderOpcode.setMorphWeights) {
      const primitive = words[fields] as number;
      const isNew = !this.has(primitive);
      this.#morphs.execute(reader);
      if (isNew) this.#scene.gpuScene.setWord(primitive, GpuPrimitive.at.palette, NO_ID);
    } else this.#skins.execute(reader);
  }

  /** Returns whether deformers move the primitive's vertices. */
  has(primitive: number): boolean {
    return this.#skins.has(primitive) || this.#morphs.has(primitive);
  }

  /** Per moved primitive: returns whether joints place it, instead of its node. */
  places(primitive: number): boolean {
    if (!this.#skins.has(primitive)) return false;
    // The material displaces vertices in the space of the node, so the bounds depend on the node too.
    if (this.#scene.displacement(primitive) > 0) this.#skins.reshaped(primitive);
    return true;
  }

  /**
   * Returns the box around the primitive's vertices, centre and half extents. `undefined` if the primitive has no morph
   * targets; the geometry's box is then right.
   */
  morphedBox(primitive: number): Float32Array | undefined {
    return this.#morphs.boxOf(primitive);
  }

  /** Sets a node's morph weights from clips, see `MorphStore.drive`. */
  driveWeights(node: number, sums: Float32Array, restShare: number): boolean {
    return this.#morphs.drive(node, sums, restShare);
  }

  /** Gives the skin of a primitive to another primitive of the same mesh. */
  lendSkin(from: number, to: number): void {
    this.#skins.lend(from, to);
  }

  /** Removes the deformers of a primitive that was replaced or destroyed. */
  detach(primitive: number): void {
    this.#skins.detach(primitive);
    this.#morphs.detach(primitive);
  }

  /** Frees the morph targets of a geometry that was replaced or destroyed. */
  destroyGeometry(geometry: number): void {
    this.#morphs.destroyGeometry(geometry);
  }

  /** Per frame, after nodes and primitives have been placed: updates the data of changed deformers. */
  update(): void {
    this.#morphs.update();
    this.#skins.update();
  }

  /** Per frame: uploads changed data. */
  upload(rhi: ImmediateContext): void {
    this.#skins.upload(rhi);
    this.#morphs.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.#skins.dispose(rhi);
    this.#morphs.dispose(rhi);
  }
}
