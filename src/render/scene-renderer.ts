import { ThreadError } from '../core/errors.js';
import { TimelineEvent } from '../core/events/event-ring.js';
import type { FrameGraph } from '../graph/frame-graph.js';
import type { FrameScene } from './picture/shown-world.js';
import { ViewInfo, type ViewPlace } from './picture/view-info.js';
import type { ViewPicture } from './picture/view-picture.js';
import type { WorldRenderer } from './world-renderer.js';

/**
 * Draws one world in one frame (SYSTEMS R11), like the `FSceneRenderer` of Unreal. It is created at the frame's start,
 * dropped at the frame's end, and owns the frame's temporary data. Lasting data belongs to the world or to a view's
 * `SceneViewState`.
 *
 *   Renderer            lasts       stores, worlds, targets
 *    └ SceneRenderer    one frame   a world's views: cull, shadow maps, lights, passes
 *       └ ViewInfo      one frame   a view's place and candidates
 *          └ SceneViewState  lasts  its matrices, history, look, bind groups, passes
 *             └ MeshPass     lasts  its visible set and draw list
 */
export class SceneRenderer implements FrameScene {
  readonly #world: WorldRenderer;
  readonly #frame: number;
  readonly #views: ViewInfo[] = [];
  #isEnded = false;

  constructor(world: WorldRenderer, frame: number) {
    this.#world = world;
    this.#frame = frame;
  }

  /**
   * The frame's views that draw the scene. While no camera is active, the main view is not among them, because it shows
   * only its background.
   */
  get views(): readonly ViewInfo[] {
    return this.#views;
  }

  createView(picture: ViewPicture, place: ViewPlace, candidates: Uint32Array): ViewInfo {
    this.#checkFrame();
    const isEmpty = !this.#world.scene.canLookFrom(picture.state.parameters);
    return new ViewInfo(this, picture, place, candidates, isEmpty);
  }

  include(view: ViewInfo): void {
    this.#checkFrame();
    if (!view.isEmpty) this.#views.push(view);
  }

  /**
   * Outside passes: culls, and records every upload and creation that drawing the views needs.
   * @param isRedrawn whether the frame draws the last one again, to read it back
   */
  prepare(timeSeconds: number, isRedrawn: boolean): void {
    this.#checkFrame();
    const world = this.#world;
    const { rhi, stats, events, features } = world;
    const { scene } = world;
    const views = this.#views;
    stats.primitives = scene.primitives.count;
    stats.visible = 0;
    if (views.length === 0) return;
    const began = events.begin(TimelineEvent.cull, this.#frame);
    for (let index = 0; index < views.length; index++) {
      const { state, candidates } = views[index] as ViewInfo;
      state.index = index;
      state.view.setTime(timeSeconds);
      state.cull(candidates);
      state.history.beginFrame(state.view, state.parameters, scene.renderOrigin);
    }
    events.end(TimelineEvent.cull, this.#frame, began);
    scene.gpuScene.upload(rhi);
    features.particles?.prepare(views, timeSeconds, this.#frame);
    features.decals?.prepare(views);
    features.catchers?.prepare(views);
    features.shadows?.prepare(views);
    // Shadow maps are fitted before occlusion culling, so that occluders change no shadow.
    features.occlusion?.hide(views);
    const areLightsNew = world.uploadLights();
    features.clusters?.prepare(views, scene.lights, areLightsNew);
    for (let index = 0; index < views.length; index++) {
      const view = views[index] as ViewInfo;
      const { state, picture } = view;
      picture.effects?.prepareView(view, world);
      stats.visible += state.meshes.visible;
      state.prepare(features.clusters?.commonLightCount(index) ?? scene.lights.count);
      state.ambientOcclusion?.prepare(world, view);
      picture.temporal?.prepare(view, this.#frame, isRedrawn);
    }
    world.transmission.prepare(views, scene.materials.transmissiveCount > 0);
    world.weightedPasses.prepare(views);
    for (const { state } of views) world.backdrop(state.targets.format)?.prepare(state.targets.format);
    features.deferred?.prepare(views);
  }

  /** After `prepare`: adds the passes that draw a view. */
  addPasses(graph: FrameGraph, { state, isEmpty }: ViewInfo): void {
    this.#checkFrame();
    const { features } = this.#world;
    const { renderer, scenePass } = state;
    const drawBehind = this.#world.backdrop(state.targets.format)?.draw;
    if (renderer && !isEmpty) renderer.addPasses(graph, drawBehind);
    else {
      scenePass.isEmpty = isEmpty;
      scenePass.drawBehind = drawBehind;
      if (!isEmpty) state.ambientOcclusion?.addBeforeLight(graph);
      graph.addPass(scenePass);
      if (!isEmpty) state.addBlendedPasses(graph);
    }
    if (!isEmpty) features.passes?.addToView(graph, state);
  }

  /** Ends the frame: the object and its views refuse further use. */
  end(): void {
    this.#isEnded = true;
    this.#views.length = 0;
  }

  /** @throws ThreadError `frame-ended` */
  #checkFrame(): void {
    if (!this.#isEnded) return;
    throw new ThreadError(
      'frame-ended',
      `The scene renderer of frame ${this.#frame} was used after its end. Use the scene renderer of the current frame: world.frameScene.`,
    );
  }
}
