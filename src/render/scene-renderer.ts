import { type EventRing, TimelineEvent } from '../core/event-ring.js';
import { type BindGroupHandle, type BufferHandle, BufferUsage } from '../rhi/commands/descriptors.js';
import type { DrawRecorder } from '../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { uploadWords } from './buffer-upload.js';
import { cullWords } from './culling.js';
import { DrawList } from './draw-list.js';
import { FrameBindings } from './frame-bindings.js';
import type { GeometryStore } from './geometry-store.js';
import { GpuLight, GpuView } from './gpu-layouts.js';
import { grow } from './grow.js';
import { GrowingBuffer } from './growing-buffer.js';
import type { MaterialTable } from './material-table.js';
import type { MeshDrawCommands } from './mesh-draw-commands.js';
import { DEFAULT_ATTRIBUTES, PipelineCache, PLAIN_PIPELINE } from './pipeline-cache.js';
import type { Scene } from './scene.js';
import type { SceneTargets } from './scene-targets.js';
import { SteadyDraws } from './steady-draws.js';
import { View } from './view.js';

/**
 * Draws one frame of the scene (SYSTEMS R11). Everything in here is that frame's temporary data; the object is
 * used again for the next frame only so that steady state allocates nothing.
 *
 *   prepare   view ─► cull ─► visible bits ─► sort ─► runs ─► uploads, pipelines
 *   record    scene pass: state changes and one instanced draw per run, or the bundle of them
 *
 * When neither the visible set nor a draw state changed, the sorted instances of the last frame are drawn again,
 * and nothing is sorted or uploaded for them: moving objects only move in the GPU scene. Draws that stay the same for
 * some frames become a draw bundle (`steady-draws.ts`).
 */
export class SceneRenderer {
  readonly stats = { primitives: 0, visible: 0 };
  readonly bindings: FrameBindings;
  readonly #view = new View();
  readonly #drawList = new DrawList();
  readonly #instances = new GrowingBuffer('instances');
  readonly #lights = new GrowingBuffer('lights');
  readonly #pipelines: PipelineCache;
  readonly #steadyDraws: SteadyDraws;
  readonly #recordDraws = (draws: DrawRecorder): void => this.#record(draws);
  #viewBuffer: BufferHandle | undefined;
  #defaultAttributes: BufferHandle | undefined;
  #visibleBits = new Uint32Array(0);
  #visibleBefore = new Uint32Array(0);
  #sceneVersion = -1;
  #commandsVersion = -1;
  #pipelinesVersion = -1;
  // What the draws of the last frame named, beside the list itself.
  #frameGroup: BindGroupHandle | undefined;
  #textureSetsVersion = -1;
  #passFormat = -1;
  /** In the order of their bindings. */
  readonly #frameBuffers = (): readonly BufferHandle[] => [
    this.#viewBuffer as BufferHandle,
    this.#scene.gpuScene.buffer,
    this.#instances.handle,
    this.#materials.buffer,
    this.#lights.handle,
  ];

  readonly #rhi: ImmediateContext;
  readonly #scene: Scene;
  readonly #geometries: GeometryStore;
  readonly #materials: MaterialTable;
  readonly #commands: MeshDrawCommands;
  readonly #events: EventRing;

  constructor(
    rhi: ImmediateContext,
    scene: Scene,
    geometries: GeometryStore,
    materials: MaterialTable,
    commands: MeshDrawCommands,
    passFormat: number,
    events: EventRing,
  ) {
    this.#rhi = rhi;
    this.#scene = scene;
    this.#geometries = geometries;
    this.#materials = materials;
    this.#commands = commands;
    this.#events = events;
    this.bindings = new FrameBindings(rhi);
    this.#steadyDraws = new SteadyDraws(rhi);
    this.#pipelines = new PipelineCache(rhi, passFormat, () => this.bindings.layout, materials);
  }

  /** Per frame. @param format bits of `PassFormat`: of the targets that `record` is given */
  setPassFormat(format: number): void {
    if (format === this.#pipelines.passFormat) return;
    this.#pipelines.passFormat = format;
    this.#pipelinesVersion = -1;
  }

  warmUp(): void {
    this.#pipelines.get(PLAIN_PIPELINE);
  }

  /** Per frame, outside passes: decides what is drawn and records every upload and creation it needs. */
  prepare(aspect: number, frame: number): void {
    const rhi = this.#rhi;
    const scene = this.#scene;
    const drawList = this.#drawList;
    const { primitives, lights, nodes, renderOrigin } = scene;
    this.stats.primitives = primitives.count;
    const areLightsNew = lights.pack(nodes.world, renderOrigin);
    if (this.#lights.reserve(rhi, Math.max(1, lights.count) * GpuLight.byteLength) || areLightsNew) {
      uploadWords(rhi, this.#lights.handle, 0, lights.packedWords, 0, lights.count * GpuLight.words);
    }
    this.#defaultAttributes ??= this.#createDefaultAttributes();
    this.#viewBuffer ??= rhi.createBuffer({
      label: 'view',
      byteLength: GpuView.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });

    this.#view.update(scene.view, nodes.world, renderOrigin, aspect, lights.count);
    uploadWords(rhi, this.#viewBuffer, 0, this.#view.packedWords, 0, GpuView.words);

    const began = this.#events.begin(TimelineEvent.cull, frame);
    const isSameSet = this.#cull();
    this.#events.end(TimelineEvent.cull, frame, began);
    this.#createPipelines();
    if (!isSameSet) drawList.sortOpaque(this.#visibleBits, this.#bitWords, primitives, this.#commands);
    const isOrderNew = drawList.sortBlended(primitives, this.#view);
    const { opaqueCount, blendedCount } = drawList;
    const count = opaqueCount + blendedCount;
    const isBufferNew = this.#instances.reserve(rhi, Math.max(1, count) * 4);
    if (isBufferNew || !isSameSet) {
      uploadWords(rhi, this.#instances.handle, 0, drawList.instances, 0, count);
    } else if (isOrderNew) {
      uploadWords(rhi, this.#instances.handle, opaqueCount * 4, drawList.instances, opaqueCount, count);
    }
    this.bindings.record(
      this.#lights.version + this.#instances.version + this.#materials.version + scene.gpuScene.version,
      this.#frameBuffers,
    );
    const isStateSame = this.#isStateSame();
    this.#steadyDraws.prepare(isSameSet && !isOrderNew && isStateSame, drawList.runs, this.#recordDraws);
  }

  /** Per frame: the scene pass. */
  record(targets: SceneTargets): void {
    const rhi = this.#rhi;
    rhi.beginRenderPass(targets.scenePass);
    if (!this.#steadyDraws.execute()) this.#record(rhi);
    rhi.endRenderPass();
  }

  /** Per run, state is set only where it differs from the run before. */
  #record(rhi: DrawRecorder): void {
    const drawList = this.#drawList;
    const geometries = this.#geometries;
    const commands = this.#commands;
    const sets = this.#materials.textures?.sets;
    if (drawList.runs > 0) {
      rhi.setBindGroup(0, this.bindings.bindGroup);
      rhi.setVertexBuffer(1, this.#defaultAttributes as BufferHandle, 0, DEFAULT_ATTRIBUTES.byteLength);
    }
    let boundKey = -1;
    let boundSet = -1;
    let boundPage = -1;
    for (let run = 0; run < drawList.runs; run++) {
      const state = drawList.runState[run] as number;
      const first = drawList.runFirst[run] as number;
      const count = drawList.runCount[run] as number;
      const geometry = commands.geometry[state] as number;
      const key = commands.pipelineKey[state] as number;
      const set = commands.textureSet[state] as number;
      const page = geometries.page[geometry] as number;
      if (key !== boundKey) rhi.setGraphicsPipeline(this.#pipelines.get(key));
      if (set !== boundSet && sets !== undefined && set > 0) rhi.setBindGroup(1, sets.bindGroup(set));
      if (page !== boundPage) {
        const buffer = geometries.pageBuffer(page);
        const byteLength = geometries.pageByteLength(page);
        rhi.setVertexBuffer(0, buffer, 0, byteLength);
        rhi.setIndexBuffer(buffer, 'uint32', 0, byteLength);
      }
      boundKey = key;
      boundSet = set;
      boundPage = page;
      const baseVertex = geometries.baseVertex[geometry] as number;
      const indexCount = geometries.indexCount[geometry] as number;
      if (indexCount > 0) {
        rhi.drawIndexed(indexCount, count, geometries.firstIndex[geometry] as number, baseVertex, first);
      } else rhi.draw(geometries.vertexCount[geometry] as number, count, baseVertex, first);
    }
  }

  /** A frame without a view: nothing was looked at. */
  clearStats(): void {
    const { stats } = this;
    stats.primitives = this.#scene.primitives.count;
    stats.visible = 0;
  }

  dispose(): void {
    const rhi = this.#rhi;
    this.#steadyDraws.dispose();
    this.bindings.dispose();
    this.#pipelines.dispose();
    this.#instances.dispose(rhi);
    this.#lights.dispose(rhi);
    rhi.destroy(this.#viewBuffer);
    rhi.destroy(this.#defaultAttributes);
    this.#viewBuffer = this.#defaultAttributes = undefined;
  }

  get #bitWords(): number {
    return (this.#scene.primitives.length + 31) >>> 5;
  }

  /** Finds the visible primitives; true when they and their draw states are those of the last frame. */
  #cull(): boolean {
    const scene = this.#scene;
    const commands = this.#commands;
    const { primitives } = scene;
    const words = this.#bitWords;
    const visibleBefore = grow(this.#visibleBits, words);
    const visibleBits = grow(this.#visibleBefore, words);
    this.#visibleBits = visibleBits;
    this.#visibleBefore = visibleBefore;
    this.stats.visible = cullWords(
      this.#view.planes,
      primitives.bounds,
      primitives.drawableBits,
      visibleBits,
      0,
      words,
    );
    let isSame = this.#sceneVersion === scene.version && this.#commandsVersion === commands.version;
    for (let word = 0; isSame && word < words; word++) isSame = visibleBits[word] === visibleBefore[word];
    this.#sceneVersion = scene.version;
    this.#commandsVersion = commands.version;
    return isSame;
  }

  /** True when the draws name the bind groups and pipelines that they named in the last frame. */
  #isStateSame(): boolean {
    const { bindGroup } = this.bindings;
    const { passFormat } = this.#pipelines;
    const version = this.#materials.textures?.sets.version ?? 0;
    const isSame =
      bindGroup === this.#frameGroup &&
      version === this.#textureSetsVersion &&
      passFormat === this.#passFormat;
    this.#frameGroup = bindGroup;
    this.#textureSetsVersion = version;
    this.#passFormat = passFormat;
    return isSame;
  }

  /** Pipelines are created as soon as something may be drawn with them, and outside passes. */
  #createPipelines(): void {
    const { stateOfRank, pipelineKey, count, version } = this.#commands;
    if (version === this.#pipelinesVersion) return;
    this.#pipelinesVersion = version;
    for (let rank = 0; rank < count; rank++) {
      this.#pipelines.get(pipelineKey[stateOfRank[rank] as number] as number);
    }
  }

  #createDefaultAttributes(): BufferHandle {
    const buffer = this.#rhi.createBuffer({
      label: 'default vertex attributes',
      byteLength: DEFAULT_ATTRIBUTES.byteLength,
      usage: BufferUsage.vertex | BufferUsage.copyTarget,
    });
    this.#rhi.writeBuffer(buffer, 0, DEFAULT_ATTRIBUTES);
    return buffer;
  }
}
