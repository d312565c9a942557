import { type EventRing, TimelineEvent } from '../core/events/event-ring.js';
import type { FrameGraph } from '../graph/frame-graph.js';
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

/**
 * Draws one frame of the scene, as each of its views sees it (SYSTEMS R11). Everything in here is that frame's temporary data,
 * or shared by all views; what lasts of a view is its `SceneViewState`.
 *
 *   prepare   per view: cull ─► what has moved and is seen ─► shadow maps ─► what is hidden ─► lights ─► per view: draw list, pipelines, bind group 0
 *   passes    per view: scene pass, of the environment behind the scene and the meshes; or those of another renderer
 */
export class SceneRenderer {
  readonly stats = { primitives: 0, visible: 0 };
  readonly layout: FrameLayout;
  readonly pipelines: PipelineCache;
  readonly #lights = new GrowingBuffer('lights');

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #features: RenderFeatures;
  readonly #events: EventRing;

  constructor(
    rhi: ImmediateContext,
    stores: MeshStores,
    features: RenderFeatures,
    passFormat: number,
    { events, display }: Pick<SharedByWorlds, 'events' | 'display'>,
  ) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.#features = features;
    this.#events = events;
    this.layout = new FrameLayout(rhi);
    this.pipelines = new PipelineCache(rhi, passFormat, this.layout, stores.scene, display);
  }

  /**
   * @param suffix of the names of its passes and textures, by which they differ from those of other views
   * @param policy how its meshes are drawn; default: as the picture shows them
   */
  createView(
    parameters: ViewParameters,
    suffix: string,
    policy: PassPolicy = this.pipelines,
  ): SceneViewState {
    const lights = this.#lights;
    return new SceneViewState(this.#rhi, this.#stores, parameters, policy, this.layout, lights, suffix);
  }

  /** A pass of the scene for a feature. */
  readonly createPass: CreateMeshPass = (policy, label) =>
    new MeshPass(this.#rhi, this.#stores, policy, label);

  /** Per frame. @param format bits of `PassFormat`: of the targets of all views */
  setPassFormat(format: number): void {
    this.pipelines.passFormat = format;
  }

  warmUp(): void {
    this.pipelines.pipeline(PLAIN_PIPELINE);
  }

  /** Per frame, outside passes: decides what is drawn and records every upload and creation it needs. */
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
    // Shadow maps fit what the view may see, so that what hides what changes no shadow.
    this.#features.occlusion?.hide(views);
    const areLightsNew = this.#uploadLights();
    this.#features.clusters?.prepare(views, lights, areLightsNew);
    for (let index = 0; index < views.length; index++) {
      const { state } = views[index] as DrawnView;
      stats.visible += state.meshes.visible;
      state.prepare(this.#features.clusters?.commonLightCount(index) ?? lights.count);
    }
    this.#sky?.prepare();
    this.#features.deferred?.prepare(views);
  }

  /** Per frame and view, behind `prepare`. @param isEmpty nothing is drawn, for want of a camera */
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
  }

  /** @returns whether they are others than in the frame before */
  #uploadLights(): boolean {
    const { lights, nodes, renderOrigin } = this.#stores.scene;
    const areNew = lights.pack(nodes.world, renderOrigin);
    if (this.#lights.reserve(this.#rhi, Math.max(1, lights.count) * GpuLight.byteLength) || areNew) {
      uploadWords(this.#rhi, this.#lights.handle, 0, lights.packedWords, 0, lights.count * GpuLight.words);
    }
    return areNew;
  }
}
