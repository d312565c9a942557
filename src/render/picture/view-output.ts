import type { FrameGraph } from '../../graph/frame-graph.js';
import type { ViewEffectPasses } from '../effects/view-effects.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { OutputSettings } from '../views/output-settings.js';
import type { SceneViewState } from '../views/scene-view-state.js';
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
  /** One bit per primitive that the view may show. */
  candidates: Uint32Array = new Uint32Array(0);
  /** Rectangle in the target, in pixels from the top left. */
  x = 0;
  y = 0;
  width = 0;
  height = 0;
  #isPart = false;

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
    this.state = world.sceneRenderer.createView(parameters, suffix);
    this.toneMap = new ToneMapPass(world.rhi, toneMaps, this.state.targets);
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
   * Per frame, before anything else is prepared: sets the size of the targets.
   * @param format bits of `PassFormat`
   * @returns true if the targets have changed
   */
  resize(format: number): boolean {
    this.state.aspect = this.width / this.height;
    const { display } = this.world;
    this.state.view.setExposure(display.exposure);
    return this.state.targets.resize(this.width, this.height, format, display.colorFormat(format));
  }

  /** Per frame, outside passes, after `resize`: prepares tone mapping. */
  prepare(output: OutputSettings): void {
    this.toneMap.prepare(output, this.x, this.y);
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
