import type { FrameGraph } from '../../graph/frame-graph.js';
import type { ViewEffectPasses } from '../effects/view-effects.js';
import { ViewPipelines } from '../pipelines/view-pipelines.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { LookSettings, OwnLook } from '../views/view-look.js';
import type { ShownWorld } from './shown-world.js';
import { ToneMapPass, type ToneMapPipelines } from './tone-map-pass.js';

/** A view and its picture: its rectangle in the target, and its tone mapping. */
export class ViewOutput {
  readonly world: ShownWorld;
  readonly state: SceneViewState;
  readonly toneMap: ToneMapPass;
  /** Id of the view in the game; NO_ID: the view of an active camera. */
  readonly id: number;
  /** Set once the first effect exists. */
  effects: ViewEffectPasses | undefined;
  /** The look that the view has set; undefined: an active camera's view, which has none of its own. */
  ownLook: OwnLook | undefined;
  /** One bit per primitive that the view may show. */
  candidates: Uint32Array = new Uint32Array(0);
  /** Rectangle in the target, in pixels from the top left. */
  x = 0;
  y = 0;
  width = 0;
  height = 0;
  #isPart = false;
  readonly #pipelines: ViewPipelines;

  /** @param world world that the view shows */
  constructor(
    world: ShownWorld,
    toneMaps: ToneMapPipelines,
    parameters: ViewParameters,
    suffix: string,
    id: number,
  ) {
    this.world = world;
    this.id = id;
    this.#pipelines = new ViewPipelines(world.sceneRenderer.pipelines, 0);
    this.state = world.sceneRenderer.createView(parameters, suffix, this.#pipelines);
    this.toneMap = new ToneMapPass(world.rhi, toneMaps, this.state.targets);
  }

  /** Per list: resolves the view's look. @param common settings of all views */
  resolveLook(common: LookSettings, hasUnmapped: boolean): void {
    this.state.look.resolve(common, this.ownLook, hasUnmapped);
  }

  /**
   * Per frame: adds the passes of the scene and of the view's effects.
   * @param isEmpty whether nothing is drawn, because there is no camera
   */
  addPasses(graph: FrameGraph, isEmpty: boolean): void {
    this.world.sceneRenderer.addPasses(graph, this.state, isEmpty);
    this.effects?.addPasses(graph, this.state);
  }

  /**
   * Sets the view's rectangle.
   * @param isPart whether the target is larger than the view
   * @param pixelRatio physical pixels per CSS pixel
   */
  place(x: number, y: number, width: number, height: number, isPart: boolean, pixelRatio = 1): void {
    this.#isPart = isPart;
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
    this.state.view.setViewport(width / pixelRatio, height / pixelRatio);
  }

  /**
   * Per frame, before anything else is prepared: sets the size and the format of the targets.
   * @returns true if the targets have changed
   */
  resize(): boolean {
    const { state, world } = this;
    const { look } = state;
    state.aspect = this.width / this.height;
    state.view.setExposure(look.exposure);
    look.markDrawn();
    const format = world.passFormat(look);
    this.#pipelines.format = format;
    return state.targets.resize(this.width, this.height, format, world.display.colorFormat(format));
  }

  /**
   * Per frame, outside passes, after `resize`: prepares tone mapping.
   * @param isTranslucent whether the page is visible through the target
   */
  prepare(isTranslucent: boolean): void {
    this.toneMap.prepare(this.state.look, this.x, this.y, isTranslucent);
  }

  /** Draws the picture in a pass over the target. */
  recordPicture(format: GPUTextureFormat): void {
    if (this.#isPart) this.world.rhi.setViewport(this.x, this.y, this.width, this.height, 0, 1);
    this.toneMap.record(format, this.effects);
  }

  dispose(): void {
    this.toneMap.dispose();
    this.effects?.dispose();
    this.effects = undefined;
    this.state.dispose();
  }
}
