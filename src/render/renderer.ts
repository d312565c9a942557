import { ThreadError } from '../core/errors.js';
import { EventRing } from '../core/events/event-ring.js';
import { FrameMemory } from '../core/memory/frame-memory.js';
import type { StreamReader } from '../core/streams/stream.js';
import { FrameGraph } from '../graph/frame-graph.js';
import {
  RenderFrameFlag,
  RenderOpcode,
  renderStream,
  TONE_MAPPINGS,
  type ToneMapping,
} from '../proxy/commands.js';
import type { RhiCapabilities } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { EdgeIndices } from './geometry/edge-indices.js';
import { GeometryStore } from './geometry/geometry-store.js';
import { DisplayColors } from './keys/display-colors.js';
import { PLAIN_PIPELINE } from './keys/pipeline-key.js';
import { MaterialTable } from './materials/material-table.js';
import { SurfacePicture } from './picture/surface-picture.js';
import { ToneMapPipelines } from './picture/tone-map-pass.js';
import { fitScale, type ViewInfo } from './picture/view-info.js';
import type { ViewPicture } from './picture/view-picture.js';
import { drawsEdges } from './pipelines/debug-views.js';
import { ScreenPipelines } from './pipelines/screen-pipelines.js';
import type { RenderFeatures } from './render-features.js';
import type { Scene } from './scene/scene.js';
import { type LookSettings, ViewLook } from './views/view-look.js';
import { type SharedByWorlds, WorldRenderer } from './world-renderer.js';

/** A frame to render. */
interface FrameInfo {
  readonly frame: number;
  /** `RenderFrameFlag`. */
  readonly flags: number;
  readonly deltaSeconds: number;
  readonly timeSeconds: number;
  /** Number of the request that reads the picture back; 0: none. */
  readonly readBack?: number;
}

interface RendererOptions {
  /** Samples per pixel, until `sceneSettings` changes them. */
  readonly sampleCount: 1 | 4;
  /** Tone mapping, until `sceneSettings` changes it. Default `'none'`. */
  readonly toneMapping?: ToneMapping;
  /** See `LookSettings.hdr`. Default true. */
  readonly hdr?: boolean;
  /** Event ring of the renderer's thread. */
  readonly events?: EventRing;
}

/**
 * The render side as one object: it executes render commands and records RHI commands. Render commands change the
 * settings, the scene and its stores, and may destroy RHI resources at once. `renderFrame` records all other RHI
 * commands, besides `warmUp`, `recordDeletes` and `dispose`.
 *
 *   execute(record) ─► Scene, stores
 *   renderFrame ─► uploads ─► Scene.update ─► SceneRenderer ─► frame graph: per view: scene, tone mapping ─► [capture]
 *
 * Each world has a scene and its own renderer (`WorldRenderer`). A page has one world unless it adds more.
 */
export class Renderer implements SharedByWorlds {
  /** Frame graph, set up again in each frame. */
  readonly graph: FrameGraph;
  readonly rhi: ImmediateContext;
  /** The engine's own world. */
  readonly world: WorldRenderer;
  /** All worlds, the engine's own first. */
  readonly worlds: WorldRenderer[];
  /** World whose active camera the surface shows. */
  shownWorld: WorldRenderer;
  readonly toneMaps: ToneMapPipelines;
  readonly screenPipelines: ScreenPipelines;
  /** Maximum width and height of a texture, in pixels. */
  readonly largestSize: number;
  readonly capabilities: RhiCapabilities;
  readonly geometries: GeometryStore;
  readonly materials = new MaterialTable();
  readonly frameMemory = new FrameMemory();
  /** Event ring of the renderer's thread. */
  readonly events: EventRing;
  readonly surface: SurfacePicture;
  /** The views of this frame: first the views in textures and on other canvases, then the views on the surface. */
  readonly #views: ViewInfo[] = [];
  /** Counts of all worlds in the last frame. */
  readonly stats = { primitives: 0, visible: 0 };
  /** Settings of all views. A view may replace some of them with its own. */
  readonly #settings: LookSettings = {
    red: 0,
    green: 0,
    blue: 0,
    alpha: 1,
    exposure: 1,
    toneMapping: 0,
    sampleCount: 1,
    hdr: true,
    debugView: 0,
    transparency: 0,
    smoothing: 0,
    resolutionScale: 1,
  };
  /** Look of all views that have no look of their own. */
  readonly look = new ViewLook();
  readonly display: DisplayColors;
  /** Whether targets have changed in this frame. The graph then frees the textures of the old size or format. */
  #haveTargetsChanged = false;

  constructor(rhi: ImmediateContext, capabilities: RhiCapabilities, options: RendererOptions) {
    const { sampleCount, toneMapping = 'none', hdr = true, events = new EventRing() } = options;
    this.rhi = rhi;
    this.graph = new FrameGraph(rhi);
    this.#settings.sampleCount = sampleCount;
    this.#settings.toneMapping = TONE_MAPPINGS.indexOf(toneMapping);
    this.#settings.hdr = hdr;
    const format = capabilities.surfaceFormat as GPUTextureFormat;
    this.display = new DisplayColors(format);
    const { maxBufferSize, maxStorageBufferBindingSize } = capabilities.limits;
    if (maxBufferSize !== undefined && maxStorageBufferBindingSize !== undefined) {
      rhi.maximumBindingBytes = Math.min(maxBufferSize, maxStorageBufferBindingSize);
    }
    this.geometries = new GeometryStore(rhi, capabilities.limits.maxBufferSize);
    this.capabilities = capabilities;
    this.largestSize = capabilities.limits.maxTextureDimension2D ?? 8192;
    this.toneMaps = new ToneMapPipelines(rhi);
    this.screenPipelines = new ScreenPipelines(rhi);
    this.events = events;
    this.world = this.shownWorld = this.createWorld('');
    this.worlds = [this.world];
    this.surface = new SurfacePicture(rhi, format);
  }

  /** Size of the surface, in physical pixels. */
  get size(): readonly [width: number, height: number] {
    return [this.surface.width, this.surface.height];
  }

  /** Creates a world. @param suffix suffix of the names of the active camera's passes */
  createWorld(suffix: string): WorldRenderer {
    return new WorldRenderer(this, suffix);
  }

  get scene(): Scene {
    return this.world.scene;
  }

  get features(): RenderFeatures {
    return this.world.features;
  }

  /**
   * Whether the next frame must wait for missing pipelines instead of skipping draws. It must wait if it does
   * work that is done only once (mip levels). It must also wait if a skipped draw would make a visible
   * primitive vanish. Begin a waiting frame with `FrameFlag.waitForPipelines`.
   */
  get mustNotSkip(): boolean {
    if (this.materials.textures?.images.hasPendingMipmaps) return true;
    if (this.worlds.some((world) => world.mustNotSkip)) return true;
    return this.world.format >= 0 && (this.#isRestyled || (this.features.effects?.isRestyled ?? false));
  }

  /** Whether the look of a view has changed so that it needs other pipelines. */
  get #isRestyled(): boolean {
    this.#resolveLooks();
    const look = this.look;
    if (look.isRestyled(look)) return true;
    if (this.worlds.some(({ mainView }) => mainView.state.look.isRestyled(look))) return true;
    return this.features.views?.isRestyled(look) ?? false;
  }

  #resolveLooks(): void {
    const settings = this.#settings;
    const hasUnmapped = this.materials.unmappedCount > 0;
    this.look.resolve(settings, undefined, hasUnmapped);
    for (const { mainView } of this.worlds) mainView.resolveLook(settings, hasUnmapped);
    this.features.views?.resolveLooks(settings, hasUnmapped);
  }

  /** Resolves the look of a captured view. */
  resolveLook(picture: ViewPicture): void {
    picture.resolveLook(this.#settings, this.materials.unmappedCount > 0);
  }

  /**
   * Whether the page is visible through the common background or through another canvas. If it is, begin the frame
   * with `FrameFlag.translucentSurface`.
   */
  get isTranslucent(): boolean {
    return this.#settings.alpha < 1 || (this.features.views?.hasTranslucentCanvas ?? false);
  }

  /**
   * Starts compiling pipelines that nearly every picture needs, before the first frame, while the game
   * creates its scene.
   */
  warmUp(): void {
    this.#resolveLooks();
    const look = this.look;
    const { picture } = this.surface;
    this.world.pipelines.pipeline(PLAIN_PIPELINE, look.format);
    picture.prepareViews(look);
    this.toneMaps.warmUp(look, picture.viewFormat);
    this.rhi.publish();
  }

  /**
   * Per command: executes the reader's current record. The record is a command of the scene or of textures,
   * `surfaceSize` or `sceneSettings`. Features execute other commands (`threads/render-side/feature-table.ts`).
   * @throws ThreadError `render-opcode-unknown`
   */
  execute(reader: StreamReader): void {
    if (this.world.commands.execute(reader)) return;
    const { words, floats, fields: at, opcode } = reader;
    const settings = this.#settings;
    if (opcode === RenderOpcode.surfaceSize) {
      const pixelRatio = floats[at + 2] as number;
      this.surface.resize(words[at] as number, words[at + 1] as number, pixelRatio, this.largestSize);
    } else if (opcode === RenderOpcode.sceneSettings) {
      settings.red = floats[at] as number;
      settings.green = floats[at + 1] as number;
      settings.blue = floats[at + 2] as number;
      settings.alpha = floats[at + 3] as number;
      settings.exposure = floats[at + 4] as number;
      settings.sampleCount = words[at + 5] as number;
      settings.toneMapping = words[at + 6] as number;
      settings.smoothing = words[at + 9] as number;
      settings.hdr = words[at + 10] === 1;
      settings.resolutionScale = floats[at + 11] as number;
      settings.debugView = words[at + 7] as number;
      settings.transparency = words[at + 8] as number;
    } else {
      throw new ThreadError(
        'render-opcode-unknown',
        `The render command "${renderStream.names[opcode] ?? ''}" (opcode ${opcode}) was skipped, because no code executes it. Add code to scene-commands.ts, or a feature to feature-table.ts.`,
      );
    }
  }

  /** Per frame: records the frame's RHI commands. The caller begins and ends the frame around the call. */
  renderFrame({ frame, flags, timeSeconds, readBack = 0 }: FrameInfo): void {
    const { rhi, surface } = this;
    this.geometries.recordUploads(frame);
    this.materials.textures?.record();
    this.materials.upload(rhi);
    for (const world of this.worlds) world.update();
    const isCaptured = (flags & RenderFrameFlag.capture) !== 0;
    this.#prepare(frame, timeSeconds, isCaptured);
    if (isCaptured || readBack) surface.prepareReads();

    this.#setUpGraph(frame);
    this.graph.prepare();
    this.graph.execute();
    surface.end(isCaptured ? frame : 0, readBack);
    this.features.views?.answerRequests();
    this.#endFrame();
    if (this.#haveTargetsChanged) this.graph.purge();
    this.#haveTargetsChanged = false;
  }

  /** Whether `recordDeletes` would record anything. */
  get hasDeletes(): boolean {
    return this.geometries.hasDeletes;
  }

  /** Between frames: records the deletes that would otherwise wait for later frames (SYSTEMS L2, R6). */
  recordDeletes(): void {
    this.geometries.recordDeletes();
  }

  /** Outside passes: decides what is drawn, and creates the resources for it. */
  #prepare(frame: number, timeSeconds: number, isCaptured: boolean): void {
    const { worlds, stats } = this;
    const views = this.#views;
    this.#resolveLooks();
    this.look.endChange();
    for (const { mainView } of worlds) mainView.state.look.endChange();
    this.features.views?.endChanges();
    for (const world of worlds) world.beginFrame(frame);
    this.#findViews();
    this.features.effects?.prepare(frame, timeSeconds, views);
    // Effects decide which targets the looks need.
    if (this.features.effects) this.#resolveLooks();
    for (const view of views) if (view.begin()) this.#haveTargetsChanged = true;
    this.#prepareEdges();
    stats.primitives = stats.visible = 0;
    for (const world of worlds) {
      world.prepare(timeSeconds, isCaptured);
      stats.primitives += world.stats.primitives;
      stats.visible += world.stats.visible;
    }
    this.surface.picture.prepareViews(this.look);
    this.shownWorld.mainView.state.targets.setBackground(this.look);
    this.features.views?.prepare();
  }

  /** Creates the edges of triangles while a view shows wireframes, and releases them afterwards. */
  #prepareEdges(): void {
    const { geometries } = this;
    if (this.#views.some(isWireframe)) {
      geometries.edges ??= new EdgeIndices(this.rhi, geometries);
      geometries.edges.update();
    } else if (geometries.edges) {
      geometries.edges.dispose();
      geometries.edges = undefined;
    }
  }

  /** Finds the views of the frame, and where each is drawn. */
  #findViews(): void {
    const views = this.#views;
    const { surface, shownWorld } = this;
    const { views: shown, width, height, pixelRatio } = surface;
    const addedViews = this.features.views;
    addedViews?.place(width, height, pixelRatio);
    // A surface without pixels shows nothing. The scene and the views in textures are updated nevertheless.
    const showsMain = surface.isShown && !addedViews?.isSurfaceCovered;
    for (const { mainView } of this.worlds) mainView.isDrawn = showsMain && mainView === shownWorld.mainView;
    if (showsMain) {
      const scale = fitScale(shownWorld.mainView.state.look, width, height, this.largestSize);
      const place = { x: 0, y: 0, width, height, isPart: false, pixelRatio, scale };
      const { mainView, scene, frameScene } = shownWorld;
      mainView.showLayers(scene.view.layers);
      shown.push(frameScene.createView(mainView, place, mainView.filter.select(scene)));
    }
    if (surface.isShown && addedViews) for (const view of addedViews.onSurface) shown.push(view);
    if (addedViews) for (const view of addedViews.elsewhere) views.push(view);
    for (const view of shown) views.push(view);
  }

  /** Drops the views, the scene renderers and the memory of the frame. */
  #endFrame(): void {
    for (const world of this.worlds) world.endFrame();
    this.#views.length = this.surface.views.length = 0;
    this.features.views?.endFrame();
    this.frameMemory.free();
  }

  #setUpGraph(frame: number): void {
    const { graph, surface } = this;
    const { passes, views } = this.features;
    graph.begin(frame);
    this.geometries.edges?.addPasses(graph);
    for (const world of this.worlds) world.addPasses(graph);
    passes?.addToFrame(graph, false);
    views?.addPasses(graph);
    if (surface.isShown) this.#addSurfacePasses();
    for (const world of this.worlds) world.addLastPasses(graph);
  }

  #addSurfacePasses(): void {
    const { graph, surface } = this;
    const { passes } = this.features;
    const main = this.shownWorld.mainView;
    const isAlone = surface.views.length === 1 && surface.views[0]?.picture === main && !passes;
    const isInPlace = isAlone && !main.readsPicture && !this.look.hdr;
    surface.addPasses(graph, main, isInPlace);
    passes?.addToPicture(graph, surface.picture, surface.width, surface.height);
  }

  /** Destroys every RHI resource. The scene itself is left to the garbage collector. */
  dispose(): void {
    const rhi = this.rhi;
    this.features.passes?.dispose();
    this.features.captures?.dispose();
    this.graph.dispose();
    this.features.views?.dispose();
    this.toneMaps.dispose();
    this.screenPipelines.dispose();
    for (const world of this.worlds) world.dispose();
    this.materials.dispose(rhi);
    this.geometries.dispose();
    this.surface.dispose();
  }
}

const isWireframe = ({ picture }: ViewInfo): boolean => drawsEdges(picture.state.targets.format);
