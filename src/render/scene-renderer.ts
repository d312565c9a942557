import { ThreadError } from '../core/errors.js';
import { TimelineEvent } from '../core/events/event-ring.js';
import type { FrameGraph } from '../graph/frame-graph.js';
import type { FrameScene } from './picture/shown-world.js';
import { ViewInfo, type ViewPlace } from './picture/view-info.js';
import type { ViewPicture } from './picture/view-picture.js';
import type { WorldRenderer } from './world-renderer.js';

/**
 * Draws one world in one frame (SYSTEMS R11), like the `FSceneRenderer` of Unreal. It is made at the frame's
 * start and dropped at its end, and owns the frame's temporary data. Lasting data belongs to the world or to a
 * view's `SceneViewState`.
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

  /** Views of the frame whose scene is drawn. An active camera's view is missing if there is no camera. */
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

  /** Outside passes: culls, and records every upload and creation that drawing the views needs. */
  prepare(timeSeconds: number): void {
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
    features.shadows?.prepare(views);
    // Shadow maps are fitted before occlusion culling, so that occluders change no shadow.
    features.occlusion?.hide(views);
    const areLightsNew = world.uploadLights();
    features.clusters?.prepare(views, scene.lights, areLightsNew);
    for (let index = 0; index < views.length; index++) {
      const { state } = views[index] as ViewInfo;
      stats.visible += state.meshes.visible;
      state.prepare(features.clusters?.commonLightCount(index) ?? scene.lights.count);
    }
    const { sky } = world;
    if (sky) for (const { state } of views) sky.prepare(state.targets.format);
    features.deferred?.prepare(views);
  }

  /** After `prepare`: adds the passes that draw a view. */
  addPasses(graph: FrameGraph, { state, isEmpty }: ViewInfo): void {
    this.#checkFrame();
    const { sky, features } = this.#world;
    const { renderer, scenePass } = state;
    if (renderer && !isEmpty) renderer.addPasses(graph, sky?.draw);
    else {
      scenePass.isEmpty = isEmpty;
      scenePass.drawBehind = sky?.draw;
      graph.addPass(scenePass);
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
      `The scene renderer of frame ${this.#frame} was used after its end. Take that of the current frame: world.frameScene.`,
    );
  }
}
