import type { FrameGraph } from '../../graph/frame-graph.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewLook } from '../views/view-look.js';
import type { ViewRegion } from '../views/view-region.js';
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
  /** Factor on the width and the height in which the scene is drawn. */
  readonly scale: number;
  /** Set if the view draws a part of a larger picture. */
  readonly region?: ViewRegion | undefined;
}

/** Returns the factor on the resolution of a view on a canvas. Its targets must not exceed the largest texture. */
export function fitScale(
  { resolutionScale }: ViewLook,
  width: number,
  height: number,
  largestSize: number,
): number {
  return resolutionScale > 1
    ? Math.max(1, Math.min(resolutionScale, largestSize / Math.max(width, height)))
    : resolutionScale;
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
  /** Whether only the background is drawn, because there is no camera. */
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
   * Adds the view to its scene, and sets the size and the format of its targets. Called per frame, in drawing order,
   * after effects have been prepared, and before scenes and pictures are prepared.
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

  /**
   * Per frame: adds the passes of the scene, and those of `ViewPicture.addPasses`.
   * @throws ThreadError `frame-ended`
   */
  addPasses(graph: FrameGraph): void {
    this.#scene.addPasses(graph, this);
    this.picture.addPasses(graph, this.isEmpty);
  }

  /** Draws the picture in a pass over the target. */
  recordPicture(format: GPUTextureFormat): void {
    this.picture.record(this.place, format);
  }
}
