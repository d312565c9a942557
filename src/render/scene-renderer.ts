import { type EventRing, TimelineEvent } from '../core/event-ring.js';
import { type BufferHandle, BufferUsage } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { uploadWords } from './buffer-upload.js';
import type { EnvironmentLight } from './environment/environment.js';
import { FrameBindings } from './frame-bindings.js';
import { GpuLight, GpuView } from './gpu-layouts.js';
import { GrowingBuffer } from './growing-buffer.js';
import { type CreateMeshPass, MeshPass, type MeshStores } from './mesh-pass.js';
import { PipelineCache } from './pipeline-cache.js';
import { PLAIN_PIPELINE } from './pipeline-key.js';
import type { SceneTargets } from './scene-targets.js';
import type { ShadowMaps } from './shadows/shadow-maps.js';
import { View } from './view.js';

/**
 * Draws one frame of the scene (SYSTEMS R11). Everything in here is that frame's temporary data; the object is
 * used again for the next frame only so that steady state allocates nothing.
 *
 *   prepare   view ─► cull ─► shadow maps ─► lights, view ─► draw list, pipelines ─► bind group 0
 *   record    shadow maps; scene pass: the environment behind the scene, the meshes
 */
export class SceneRenderer {
  readonly stats = { primitives: 0, visible: 0 };
  readonly bindings: FrameBindings;
  readonly #view = new View();
  readonly #meshes: MeshPass;
  readonly #lights = new GrowingBuffer('lights');
  readonly #pipelines: PipelineCache;
  #environment: EnvironmentLight | undefined;
  #shadows: ShadowMaps | undefined;
  #viewBuffer: BufferHandle | undefined;
  /** In the order of their bindings. */
  readonly #frameBuffers = (): readonly BufferHandle[] => [
    this.#viewBuffer as BufferHandle,
    this.#stores.scene.gpuScene.buffer,
    this.#meshes.instances.handle,
    this.#stores.scene.materials.buffer,
    this.#lights.handle,
  ];

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #events: EventRing;

  constructor(rhi: ImmediateContext, stores: MeshStores, passFormat: number, events: EventRing) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.#events = events;
    this.bindings = new FrameBindings(rhi);
    this.#pipelines = new PipelineCache(rhi, passFormat, () => this.bindings.layout, stores.scene.materials);
    this.#meshes = new MeshPass(rhi, stores, this.#pipelines, 'instances');
  }

  /** Per frame. @param format bits of `PassFormat`: of the targets that `record` is given */
  setPassFormat(format: number): void {
    this.#pipelines.passFormat = format;
  }

  warmUp(): void {
    this.#pipelines.pipeline(PLAIN_PIPELINE);
  }

  /** From now on light comes from all around as well. */
  addEnvironment(environment: EnvironmentLight): void {
    this.#environment = environment;
    this.#pipelines.environment = environment;
    this.bindings.extend(environment);
  }

  /** From now on lights may cast shadows. */
  addShadows(create: (stores: MeshStores, createPass: CreateMeshPass) => ShadowMaps): ShadowMaps {
    const stores = this.#stores;
    const shadows = create(stores, (policy, label) => new MeshPass(this.#rhi, stores, policy, label));
    this.#shadows = shadows;
    this.#pipelines.shadows = shadows;
    this.bindings.extend(shadows);
    return shadows;
  }

  /** Per frame, outside passes: decides what is drawn and records every upload and creation it needs. */
  prepare(aspect: number, frame: number): void {
    const { scene } = this.#stores;
    const { primitives, nodes, renderOrigin, lights } = scene;
    const view = this.#view;
    const meshes = this.#meshes;
    this.stats.primitives = primitives.count;
    view.update(scene.view, nodes.world, renderOrigin, aspect);
    const began = this.#events.begin(TimelineEvent.cull, frame);
    meshes.cull(view.planes, primitives.drawableBits);
    this.#events.end(TimelineEvent.cull, frame, began);
    this.stats.visible = meshes.visible;
    this.#shadows?.prepare(view, meshes.visibleBits, aspect);
    this.#uploadLights();
    view.setLights(lights.count, lights.shadowedCount);
    this.#uploadView();
    meshes.prepare(view.forward);
    if (this.#environment?.hasBackground) this.#pipelines.getSky();
    this.bindings.record(
      this.#lights.version + meshes.instances.version + scene.materials.version + scene.gpuScene.version,
      this.#frameBuffers,
    );
    meshes.bind(this.bindings.bindGroup);
  }

  /** Per frame: the shadow maps that are stale, and the scene pass. */
  record(targets: SceneTargets): void {
    const rhi = this.#rhi;
    this.#shadows?.record();
    rhi.beginRenderPass(targets.scenePass);
    if (this.#environment?.hasBackground) {
      rhi.setGraphicsPipeline(this.#pipelines.getSky());
      rhi.setBindGroup(0, this.bindings.bindGroup);
      rhi.draw(3);
    }
    this.#meshes.record();
    rhi.endRenderPass();
  }

  /** A frame without a view: nothing was looked at. */
  clearStats(): void {
    const { stats } = this;
    stats.primitives = this.#stores.scene.primitives.count;
    stats.visible = 0;
  }

  dispose(): void {
    const rhi = this.#rhi;
    this.#meshes.dispose();
    this.bindings.dispose();
    this.#pipelines.dispose();
    this.#lights.dispose(rhi);
    rhi.destroy(this.#viewBuffer);
    this.#viewBuffer = undefined;
  }

  #uploadLights(): void {
    const { lights, nodes, renderOrigin } = this.#stores.scene;
    const areNew = lights.pack(nodes.world, renderOrigin);
    if (this.#lights.reserve(this.#rhi, Math.max(1, lights.count) * GpuLight.byteLength) || areNew) {
      uploadWords(this.#rhi, this.#lights.handle, 0, lights.packedWords, 0, lights.count * GpuLight.words);
    }
  }

  #uploadView(): void {
    const rhi = this.#rhi;
    this.#viewBuffer ??= rhi.createBuffer({
      label: 'view',
      byteLength: GpuView.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    uploadWords(rhi, this.#viewBuffer, 0, this.#view.packedWords, 0, GpuView.words);
  }
}
