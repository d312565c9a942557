import { grow } from '../../core/memory/grow.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { UNIFORM_SLOT_BYTES } from '../buffers/gpu-struct.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';
import type { Scene } from '../scene/scene.js';
import type { CasterPipelines } from './caster-pipelines.js';
import { GpuShadowView } from './gpu-shadow-view.js';
import type { ShadowView } from './shadow-view.js';

const SLOT_FLOATS = UNIFORM_SLOT_BYTES / 4;

/**
 * Buffers with the views of shadow maps, and a bind group for each map that is drawn.
 *
 *   ShadowView.packed     ─► shadow views    of all maps: the mesh shader looks up shadows with them
 *   ShadowView.writeView  ─► caster views    one slot per map, written when its casters are drawn
 */
export class ShadowBuffers {
  readonly #packed = new GrowingBuffer('shadow views');
  #packedFloats = new Float32Array(0);
  #packedWords = new Uint32Array(0);
  readonly #slots = new GrowingBuffer('caster views', BufferUsage.uniform | BufferUsage.copyTarget);
  #slotFloats = new Float32Array(0);
  #slotWords = new Uint32Array(0);
  readonly #rhi: ImmediateContext;
  readonly #scene: Scene;
  readonly #pipelines: CasterPipelines;

  constructor(rhi: ImmediateContext, scene: Scene, pipelines: CasterPipelines) {
    this.#rhi = rhi;
    this.#scene = scene;
    this.#pipelines = pipelines;
  }

  /** Increases when the buffer of all maps is replaced. */
  get version(): number {
    return this.#packed.version;
  }

  /** Buffer with the views of all maps. */
  get handle(): BufferHandle {
    return this.#packed.handle;
  }

  /** Per frame, outside passes: ensures space for `count` views; for one view if `count` is 0. */
  reserve(count: number): void {
    const most = Math.max(1, count);
    this.#packed.reserve(this.#rhi, most * GpuShadowView.byteLength);
    this.#slots.reserve(this.#rhi, most * UNIFORM_SLOT_BYTES);
  }

  /**
   * Uploads the views of all maps, and sets the bind groups of stale maps. Called after `reserve`, if some
   * views are stale.
   * @param count number of views that lights use
   */
  upload(views: readonly ShadowView[], count: number, timeSeconds: number): void {
    const rhi = this.#rhi;
    const { renderOrigin } = this.#scene;
    const { resourcesVersion } = this.#pipelines;
    this.#grow(count);
    for (let index = 0; index < count; index++) {
      const view = views[index] as ShadowView;
      this.#packedFloats.set(view.packed, index * GpuShadowView.words);
      if (!view.isStale) continue;
      const slot = index * SLOT_FLOATS;
      view.writeView(this.#slotFloats, this.#slotWords, slot, renderOrigin, timeSeconds);
      const version = resourcesVersion + view.meshes.instances.version + this.#slots.version;
      if (version !== view.bindGroupVersion) this.#makeBindGroup(view, index, version);
      view.meshes.bind(view.bindGroup as NonNullable<typeof view.bindGroup>);
    }
    writeWordsUnordered(
      rhi.writer,
      this.#packed.handle,
      0,
      this.#packedWords,
      0,
      count * GpuShadowView.words,
    );
    writeWordsUnordered(rhi.writer, this.#slots.handle, 0, this.#slotWords, 0, count * SLOT_FLOATS);
  }

  dispose(): void {
    this.#packed.dispose(this.#rhi);
    this.#slots.dispose(this.#rhi);
  }

  #grow(count: number): void {
    if (count * SLOT_FLOATS <= this.#slotFloats.length) return;
    this.#packedFloats = grow(this.#packedFloats, count * GpuShadowView.words);
    this.#slotFloats = grow(this.#slotFloats, count * SLOT_FLOATS);
    this.#packedWords = new Uint32Array(this.#packedFloats.buffer);
    this.#slotWords = new Uint32Array(this.#slotFloats.buffer);
  }

  #makeBindGroup(view: ShadowView, index: number, version: number): void {
    this.#rhi.destroy(view.bindGroup);
    view.bindGroupVersion = version;
    const byteOffset = index * UNIFORM_SLOT_BYTES;
    const slot = { buffer: this.#slots.handle, byteOffset, byteLength: GpuView.byteLength };
    view.bindGroup = this.#pipelines.createGroup(slot, view.meshes.instances.handle);
  }
}
