import { type EventRing, TimelineEvent } from '../core/events/event-ring.js';
import type { FrameGraph } from '../graph/frame-graph.js';
import { BufferUsage } from '../rhi/commands/descriptors.js';
import { DynamicBuffers } from '../rhi/memory/dynamic-buffers.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { uploadWords } from './buffers/buffer-upload.js';
import { GpuLight } from './buffers/gpu-layouts.js';
import { GrowingBuffer } from './buffers/growing-buffer.js';
import { type CreateMeshPass, MeshPass, type MeshStores, type PassPolicy } from './draws/mesh-pass.js';
import type { Sky } from './environment/sky.js';
import { PLAIN_PIPELINE } from './keys/pipeline-key.js';
import { FrameLayout } from './pipelines/frame-bindings.js';
import { PipelineCache } from './pipelines/pipeline-cache.js';
import type { RenderFeatures } from './render-features.js';
import type { ViewParameters } from './scene/view-parameters.js';
import type { DrawnView } from './views/drawn-view.js';
import { SceneViewState } from './views/scene-view-state.js';
import type { SharedByWorlds } from './world-renderer.js';

/** Room for the uniforms of some twenty views. */
const UNIFORM_PAGE_BYTES = 2 ** 14;

/**
 * Draws one frame of the scene, as each of its views sees it (SYSTEMS R11). The data of this class is
 * temporary, or all views share it. Each view's lasting state is its `SceneViewState`.
 *
 *   prepare   per view: cull ─► transforms of moved, visible primitives ─► shadow maps ─► occlusion ─► lights ─► per view: draw list, pipelines, bind group 0
 *   passes    per view: scene pass of the background and the meshes, or the passes of another renderer
 */
export class SceneRenderer {
  readonly stats = { primitives: 0, visible: 0 };
  readonly layout: FrameLayout;
  readonly pipelines: PipelineCache;
  readonly #lights = new GrowingBuffer('lights');
  /** Uniforms of the views, for one frame each (SYSTEMS L5). */
  readonly #uniforms: DynamicBuffers;

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #features: RenderFeatures;
  readonly #events: EventRing;

  constructor(
    rhi: ImmediateContext,
    stores: MeshStores,
    features: RenderFeatures,
    { events, display }: Pick<SharedByWorlds, 'events' | 'display'>,
  ) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.#features = features;
    this.#events = events;
    this.layout = new FrameLayout(rhi);
    this.#uniforms = new DynamicBuffers(rhi, { usage: BufferUsage.uniform, pageBytes: UNIFORM_PAGE_BYTES });
    this.pipelines = new PipelineCache(rhi, this.layout, stores.scene, display);
  }

  /**
   * Creates a view.
   * @param suffix distinguishes the names of the view's passes and textures from those of other views
   * @param policy decides how meshes are drawn
   */
  createView(parameters: ViewParameters, suffix: string, policy: PassPolicy): SceneViewState {
    const { layout } = this;
    const [lights, uniforms] = [this.#lights, this.#uniforms];
    return new SceneViewState(this.#rhi, this.#stores, parameters, policy, layout, lights, uniforms, suffix);
  }

  /** Creates a pass of the scene for a feature. */
  readonly createPass: CreateMeshPass = (policy, label) =>
    new MeshPass(this.#rhi, this.#stores, policy, label);

  /** Starts to compile the pipeline of plain meshes. @param format bits of `PassFormat` */
  warmUp(format: number): void {
    this.pipelines.pipeline(PLAIN_PIPELINE, format);
  }

  /** Per frame, outside passes: culls, and records every upload and creation that drawing the views needs. */
  prepare(views: readonly DrawnView[], frame: number): void {
    const { stats } = this;
    stats.primitives = this.#stores.scene.primitives.count;
    stats.visible = 0;
    if (views.length === 0) return;
    const began = this.#events.begin(TimelineEvent.cull, frame);
    for (let index = 0; index < views.length; index++) {
      const { state, candidates } = views[index] as DrawnView;
      state.index = index;
      state.cull(candidates);
    }
    this.#events.end(TimelineEvent.cull, frame, began);
    const { gpuScene, lights } = this.#stores.scene;
    gpuScene.upload(this.#rhi);
    this.#features.shadows?.prepare(views);
    // Shadow maps are fitted before occlusion culling, so that occluders change no shadow.
    this.#features.occlusion?.hide(views);
    const areLightsNew = this.#uploadLights();
    this.#features.clusters?.prepare(views, lights, areLightsNew);
    for (let index = 0; index < views.length; index++) {
      const { state } = views[index] as DrawnView;
      stats.visible += state.meshes.visible;
      state.prepare(this.#features.clusters?.commonLightCount(index) ?? lights.count);
    }
    const sky = this.#sky;
    if (sky) for (const { state } of views) sky.prepare(state.targets.format);
    this.#features.deferred?.prepare(views);
  }

  /**
   * Per frame and view, after `prepare`: adds the passes that draw the view.
   * @param isEmpty whether nothing is drawn, because there is no camera
   */
  addPasses(graph: FrameGraph, state: SceneViewState, isEmpty: boolean): void {
    const { renderer, scenePass } = state;
    if (renderer && !isEmpty) renderer.addPasses(graph, this.#sky?.draw);
    else {
      scenePass.isEmpty = isEmpty;
      scenePass.drawBehind = this.#sky?.draw;
      graph.addPass(scenePass);
    }
    if (!isEmpty) this.#features.passes?.addToView(graph, state);
  }

  get #sky(): Sky | undefined {
    const { environment } = this.#features;
    return environment?.hasBackground ? environment.sky : undefined;
  }

  dispose(): void {
    this.#features.deferred?.dispose();
    this.layout.dispose();
    this.pipelines.dispose();
    this.#lights.dispose(this.#rhi);
    this.#uniforms.dispose();
  }

  /** Packs and uploads the lights. @returns whether they have changed since the last frame */
  #uploadLights(): boolean {
    const { lights, nodes, renderOrigin } = this.#stores.scene;
    const areNew = lights.pack(nodes.world, renderOrigin);
    if (this.#lights.reserve(this.#rhi, Math.max(1, lights.count) * GpuLight.byteLength) || areNew) {
      uploadWords(this.#rhi, this.#lights.handle, 0, lights.packedWords, 0, lights.count * GpuLight.words);
    }
    return areNew;
  }
}
