import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import { DEBUG_VIEWS, type DebugView, SMOOTHINGS, type Smoothing } from '../../proxy/commands.js';
import type { ViewEffectPasses } from '../effects/view-effects.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import { ViewPipelines } from '../pipelines/view-pipelines.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import { MotionView } from '../temporal/motion-view.js';
import type { TemporalPasses } from '../temporal/temporal-passes.js';
import { TemporalSmoothing } from '../temporal/temporal-smoothing.js';
import { LayerFilter } from '../views/layer-filter.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { LookSettings, OwnLook } from '../views/view-look.js';
import { Fxaa } from './fxaa.js';
import type { PictureSmoothing } from './picture-smoothing.js';
import type { ShownWorld } from './shown-world.js';
import { Smaa } from './smaa.js';
import { ToneMapPass, type ToneMapPipelines } from './tone-map-pass.js';
import type { ViewPlace } from './view-info.js';
import { ViewScaling } from './view-scaling.js';

const NO_EFFECTS = { isGraded: false, drawsUnmapped: false };
type TemporalClass = new (
  world: ShownWorld,
  state: SceneViewState,
  screenPipelines: ScreenPipelines,
) => TemporalPasses;

const MOTION: number = /* @__PURE__ */ DEBUG_VIEWS.indexOf('motion' satisfies DebugView);
const TAA: number = /* @__PURE__ */ SMOOTHINGS.indexOf('taa' satisfies Smoothing);
/** Classes that smooth the finished picture. */
const PICTURE_SMOOTHINGS: Readonly<Partial<Record<Smoothing, typeof Fxaa | typeof Smaa>>> = {
  fxaa: Fxaa,
  smaa: Smaa,
};

/**
 * The part of a view's lasting state that makes its picture: its state in the scene, its pipelines, its effects, its
 * scaling, its tone mapping, and the smoothing of its edges. A `ViewInfo` holds the place of the picture in one frame.
 */
export class ViewPicture {
  readonly world: ShownWorld;
  readonly state: SceneViewState;
  readonly filter = new LayerFilter();
  readonly #toneMap: ToneMapPass;
  /** Id of the view in the game; NO_ID: the view of an active camera. */
  readonly id: number;
  /** Set once the first effect exists. */
  effects: ViewEffectPasses | undefined;
  /** Set in a view of a capture: effects of the view that is captured, if the latest frame has drawn it. */
  capturedEffects: ViewEffectPasses | undefined;
  /** The look that the view has set. Undefined for an active camera's view, which has no look of its own. */
  ownLook: OwnLook | undefined;
  /** Whether the latest frame draws the view. */
  isDrawn = false;
  /** Whether the size in which the scene is drawn differs from the shown size. */
  isScaled = false;
  readonly #pipelines: ViewPipelines;
  readonly #screenPipelines: ScreenPipelines;
  /**
   * Whether frames may be smoothed over time. False for captures, because each of their lists shows another part. They
   * average samples instead.
   */
  isContinuous = true;
  /** Passes that need the last frame, while the view's look says so. */
  temporal: TemporalPasses | undefined;
  /** Class of `temporal`. */
  #Temporal: TemporalClass | undefined;
  /** Smooths edges in the finished picture, while the view's look says so. */
  #smoothing: PictureSmoothing | undefined;
  /** Set once the scene was drawn in another size. */
  #scaling: ViewScaling | undefined;

  /** @param world world that the view shows */
  constructor(
    world: ShownWorld,
    toneMaps: ToneMapPipelines,
    screenPipelines: ScreenPipelines,
    parameters: ViewParameters,
    suffix: string,
    id: number,
  ) {
    this.world = world;
    this.id = id;
    this.#screenPipelines = screenPipelines;
    this.#pipelines = new ViewPipelines(world.pipelines, 0);
    this.state = world.createView(parameters, suffix, this.#pipelines);
    this.#toneMap = new ToneMapPass(world.rhi, toneMaps, this.state.targets);
  }

  /** Selects what the view shows. @param layers one bit per layer */
  showLayers(layers: number): void {
    this.filter.layers = this.state.layers = layers;
  }

  /** Per command list: resolves the view's look. @param common settings of all views */
  resolveLook(common: LookSettings, hasUnmapped: boolean): void {
    const { isGraded, drawsUnmapped } = this.effects ?? NO_EFFECTS;
    this.state.look.resolve(common, this.ownLook, hasUnmapped || drawsUnmapped, isGraded);
  }

  /** Per frame: see `ViewInfo.begin`. */
  resize({ width, height, pixelRatio, scale, region }: ViewPlace): boolean {
    const { state, world } = this;
    const { look } = state;
    this.#switchTemporal();
    state.region = region;
    state.aspect = region ? region.width / region.height : width / height;
    state.view.setViewport(width / pixelRatio, height / pixelRatio);
    const sceneWidth = Math.max(1, Math.round(width * scale));
    const sceneHeight = Math.max(1, Math.round(height * scale));
    this.isScaled = sceneWidth !== width || sceneHeight !== height;
    if (this.isScaled) this.#scaling ??= new ViewScaling(world.rhi, this.#screenPipelines, state);
    this.#scaling?.resize(width, height);
    state.view.setPictureWidth(region?.width ?? sceneWidth);
    state.view.setExposure(look.exposure);
    const format = world.passFormat(look) | (this.effects?.passFormat ?? 0);
    this.#pipelines.format = format;
    return state.targets.resize(sceneWidth, sceneHeight, format, world.display.colorFormat(format));
  }

  /** Per frame: see `ViewInfo.prepare`. */
  prepare(place: ViewPlace, isTranslucent: boolean): void {
    this.#switchSmoothing();
    if (this.#smoothing) this.#smoothing.prepare(place, isTranslucent);
    else this.#toneMap.prepare(this.state.look, place, isTranslucent);
  }

  /**
   * Per frame, after the passes of the scene: adds the passes that need the last frame, those of the view's effects, of
   * its scaling, and of the smoothing of edges.
   * @param isEmpty see `ViewInfo.isEmpty`
   */
  addPasses(graph: FrameGraph, isEmpty: boolean): void {
    if (!isEmpty) this.temporal?.addPasses(graph);
    this.effects?.addPasses(graph, this.state);
    if (this.isScaled) this.#scaling?.addPasses(graph);
    this.#smoothing?.addPasses(graph);
  }

  /** Whether the view's look averages frames. */
  get isSmoothedOverTime(): boolean {
    return this.state.look.smoothing === TAA;
  }

  /** Returns the distance from which effects and smoothing read, in pixels. @param size larger side of the picture */
  reach(size: number): number {
    return (this.effects?.reach(size) ?? 0) + (this.#SmoothingClass?.reach ?? 0);
  }

  /** Whether passes after those of the scene read its colours. */
  get readsPicture(): boolean {
    const { effects, state, temporal, isScaled } = this;
    return effects?.isOn === true || state.look.smoothing !== 0 || temporal !== undefined || isScaled;
  }

  /** Declares what `record` reads, in the set-up of the last pass. */
  declareReads(builder: PassBuilder): void {
    if (this.#smoothing) this.#smoothing.declareReads(builder);
    else this.declareToneMapReads(builder);
  }

  /** Declares what tone mapping and the effects in its pass read. */
  declareToneMapReads(builder: PassBuilder): void {
    const { color, unmappedColor } = this.state.targets;
    builder.read(color, 'sampled');
    if (unmappedColor !== undefined) builder.read(unmappedColor, 'sampled');
    this.effects?.declareReads(builder);
  }

  /** In `prepare` of the last pass. @param format format of the target */
  bind(context: PassContext, format: GPUTextureFormat): void {
    if (this.#smoothing) this.#smoothing.bind(context, format);
    else this.#toneMap.bind(context, format, this.effects);
  }

  /** Draws the picture in a pass over the target. */
  record({ x, y, width, height, isPart }: ViewPlace, format: GPUTextureFormat): void {
    if (isPart) this.world.rhi.setViewport(x, y, width, height, 0, 1);
    if (this.#smoothing) this.#smoothing.record();
    else this.#toneMap.record(format, this.effects);
  }

  #switchTemporal(): void {
    const { debugView } = this.state.look;
    const isSmooth = this.isSmoothedOverTime && this.isContinuous;
    const Class = isSmooth ? TemporalSmoothing : debugView === MOTION ? MotionView : undefined;
    if (Class === this.#Temporal) return;
    this.temporal?.dispose();
    this.#Temporal = Class;
    this.temporal = Class && new Class(this.world, this.state, this.#screenPipelines);
  }

  get #SmoothingClass(): typeof Fxaa | typeof Smaa | undefined {
    return PICTURE_SMOOTHINGS[SMOOTHINGS[this.state.look.smoothing] as Smoothing];
  }

  #switchSmoothing(): void {
    const Class = this.#SmoothingClass;
    if (Class === this.#smoothing?.constructor) return;
    this.#smoothing?.dispose();
    this.#smoothing = Class && new Class(this, this.#toneMap, this.#screenPipelines);
  }

  dispose(): void {
    this.temporal?.dispose();
    this.temporal = this.#Temporal = undefined;
    this.#smoothing?.dispose();
    this.#toneMap.dispose();
    this.#scaling?.dispose();
    this.effects?.dispose();
    this.effects = undefined;
    this.state.dispose();
  }
}
