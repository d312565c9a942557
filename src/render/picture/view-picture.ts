import type { ViewEffectPasses } from '../effects/view-effects.js';
import { ViewPipelines } from '../pipelines/view-pipelines.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { LookSettings, OwnLook } from '../views/view-look.js';
import type { ShownWorld } from './shown-world.js';
import { ToneMapPass, type ToneMapPipelines } from './tone-map-pass.js';
import type { ViewPlace } from './view-info.js';

/**
 * The part of a view's lasting state that makes its picture: its state in the scene, its pipelines, its tone
 * mapping and its effects. `ViewInfo` says where the picture of a frame goes.
 */
export class ViewPicture {
  readonly world: ShownWorld;
  readonly state: SceneViewState;
  readonly toneMap: ToneMapPass;
  /** Id of the view in the game; NO_ID: the view of an active camera. */
  readonly id: number;
  /** Set once the first effect exists. */
  effects: ViewEffectPasses | undefined;
  /** The look that the view has set; undefined: an active camera's view, which has none of its own. */
  ownLook: OwnLook | undefined;
  /** Whether the view was drawn in the last frame. */
  isDrawn = false;
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
    this.#pipelines = new ViewPipelines(world.pipelines, 0);
    this.state = world.createView(parameters, suffix, this.#pipelines);
    this.toneMap = new ToneMapPass(world.rhi, toneMaps, this.state.targets);
  }

  /** Per list: resolves the view's look. @param common settings of all views */
  resolveLook(common: LookSettings, hasUnmapped: boolean): void {
    this.state.look.resolve(common, this.ownLook, hasUnmapped);
  }

  /** Per frame: see `ViewInfo.begin`. */
  resize({ width, height, pixelRatio }: ViewPlace): boolean {
    const { state, world } = this;
    const { look } = state;
    state.aspect = width / height;
    state.view.setViewport(width / pixelRatio, height / pixelRatio);
    state.view.setExposure(look.exposure);
    const format = world.passFormat(look);
    this.#pipelines.format = format;
    return state.targets.resize(width, height, format, world.display.colorFormat(format));
  }

  /** Per frame: see `ViewInfo.prepare`. */
  prepare({ x, y }: ViewPlace, isTranslucent: boolean): void {
    this.toneMap.prepare(this.state.look, x, y, isTranslucent);
  }

  /** Draws the picture in a pass over the target. */
  record({ x, y, width, height, isPart }: ViewPlace, format: GPUTextureFormat): void {
    if (isPart) this.world.rhi.setViewport(x, y, width, height, 0, 1);
    this.toneMap.record(format, this.effects);
  }

  dispose(): void {
    this.toneMap.dispose();
    this.effects?.dispose();
    this.effects = undefined;
    this.state.dispose();
  }
}
