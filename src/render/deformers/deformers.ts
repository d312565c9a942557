import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { type BindGroupEntry, ShaderStage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
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
 * `morphed-vertices.ts`). A primitive may have both.
 */
export class Deformers implements FrameExtension, SceneDeformers {
  readonly layout: readonly GPUBindGroupLayoutEntry[] = [0, 1, 2].map((index) => ({
    binding: FIRST_BINDING + index,
    visibility: ShaderStage.vertex,
    buffer: { type: 'read-only-storage' },
  }));
  readonly #skins: SkinStore;
  readonly #morphs: MorphStore;
  readonly #scene: Scene;

  constructor(scene: Scene, geometries: GeometryStore) {
    this.#scene = scene;
    this.#skins = new SkinStore(scene, (primitive) => this.#morphs.slackOf(primitive));
    this.#morphs = new MorphStore(scene, geometries, this.#skins);
  }

  get version(): number {
    return this.#skins.version + this.#morphs.version;
  }

  /** For bind group 0: palettes, then records and deltas of morph targets. */
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

  /** Whether deformers move the primitive's vertices. */
  has(primitive: number): boolean {
    return this.#skins.has(primitive) || this.#morphs.has(primitive);
  }

  /** Per moved primitive: whether joints place it, and its node does not. */
  places(primitive: number): boolean {
    if (!this.#skins.has(primitive)) return false;
    // The material displaces vertices in the space of the node, so the bounds depend on the node too.
    if (this.#scene.displacement(primitive) > 0) this.#skins.reshaped(primitive);
    return true;
  }

  /**
   * Returns the box around the primitive's vertices, centre and half extents, if it has morph targets.
   * `undefined`: the geometry's box is right.
   */
  morphedBox(primitive: number): Float32Array | undefined {
    return this.#morphs.boxOf(primitive);
  }

  /** See `MorphStore.drive`. */
  driveWeights(node: number, sums: Float32Array, restShare: number): boolean {
    return this.#morphs.drive(node, sums, restShare);
  }

  /** Gives another primitive of the same mesh the same skin. */
  lendSkin(from: number, to: number): void {
    this.#skins.lend(from, to);
  }

  /** Called when the primitive was replaced or destroyed. */
  detach(primitive: number): void {
    this.#skins.detach(primitive);
    this.#morphs.detach(primitive);
  }

  /** Called when the geometry was replaced or destroyed. */
  destroyGeometry(geometry: number): void {
    this.#morphs.destroyGeometry(geometry);
  }

  /** Per frame, after nodes have been propagated and primitives placed. */
  update(): void {
    this.#morphs.update();
    this.#skins.update();
  }

  /** Per frame. */
  upload(rhi: ImmediateContext): void {
    this.#skins.upload(rhi);
    this.#morphs.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.#skins.dispose(rhi);
    this.#morphs.dispose(rhi);
  }
}
