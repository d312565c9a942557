import type { FrameGraph } from '../../graph/frame-graph.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { FrameScene } from './shown-world.js';
import type { ViewPicture } from './view-picture.js';

/** Place of a view in its target. */
export interface ViewPlace {
  /** Rectangle in pixels, from the top left. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Whether the target is larger than the view. */
  readonly isPart: boolean;
  /** Physical pixels per CSS pixel. */
  readonly pixelRatio: number;
}

/**
 * One view in one frame (SYSTEMS R11): where it is drawn, and what it may show. It is made at the frame's
 * start and dropped at its end. Lasting data is in the view's `SceneViewState` and `ViewPicture`.
 */
export class ViewInfo {
  readonly picture: ViewPicture;
  readonly place: ViewPlace;
  /** One bit per primitive that the view may show. */
  readonly candidates: Uint32Array;
  /** Whether nothing is drawn but the background, because there is no camera. */
  readonly isEmpty: boolean;
  readonly #scene: FrameScene;

  /** @param scene draws the scene that the view shows, in this frame */
  constructor(
    scene: FrameScene,
    picture: ViewPicture,
    place: ViewPlace,
    candidates: Uint32Array,
    isEmpty: boolean,
  ) {
    this.#scene = scene;
    this.picture = picture;
    this.place = place;
    this.candidates = candidates;
    this.isEmpty = isEmpty;
  }

  get state(): SceneViewState {
    return this.picture.state;
  }

  /**
   * Per frame, in drawing order, before anything is prepared: takes the view into its scene, and sets the size
   * and the format of its targets.
   * @returns true if the targets have changed
   */
  begin(): boolean {
    this.#scene.include(this);
    return this.picture.resize(this.place);
  }

  /**
   * Per frame, outside passes, after `begin`: prepares tone mapping.
   * @param isTranslucent whether the page is visible through the target
   */
  prepare(isTranslucent: boolean): void {
    this.picture.prepare(this.place, isTranslucent);
  }

  /** Per frame: adds the passes of the scene and of the view's effects. @throws ThreadError `frame-ended` */
  addPasses(graph: FrameGraph): void {
    this.#scene.addPasses(graph, this);
    this.picture.effects?.addPasses(graph, this.state);
  }

  /** Draws the picture in a pass over the target. */
  recordPicture(format: GPUTextureFormat): void {
    this.picture.record(this.place, format);
  }
}
