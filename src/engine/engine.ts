import { disposedError, type FencepostError, OptionError, typedError } from '../core/errors.js';
import { checkOptions, fillOptions } from '../core/options/check-options.js';
import { checkBoolean, checkNumber } from '../core/options/check-value.js';
import { checkMember } from '../core/options/member.js';
import { func, number, text } from '../core/options/members.js';
import type { Settings } from '../core/options/settings.js';
import { refusingUnknown } from '../game/checks/unknown-properties.js';
import type { Effects } from '../game/effects/effect-settings.js';
import type { PickedMesh, PickResult } from '../game/picking/pick-result.js';
import type { AddedWorld, WorldOptions } from '../game/world/added-world.js';
import type { View, ViewOptions } from '../game/world/view.js';
import { World, type WorldServices } from '../game/world/world.js';
import {
  type DebugView,
  type RendererName,
  RenderFrameFlag,
  type ToneMapping,
  type Transparency,
} from '../proxy/commands.js';
import type { EffectsOptions } from '../proxy/effects.js';
import type { Antialias, BackgroundColor, ShownAntialias } from '../proxy/look.js';
import type { CapturedFrame } from '../proxy/unpack-capture.js';
import type { RenderModule } from '../render-modules/page/render-module.js';
import type { FenceReach, RenderFence, RenderModuleOptions } from '../render-modules/page/render-work.js';
import type { RenderCommandData } from '../render-modules/render-module-messages.js';
import type { LeakReport } from '../rhi/execute/executor.js';
import { FrameEndSync } from '../sync/frame-end-sync.js';
import type { PipelineThread, RenderConnection } from '../threads/connections/connection.js';
import type { DrawingThread } from '../threads/connections/drawing-token.js';
import { Pipeline } from '../threads/connections/pipeline.js';
import { type EngineStats, FrameStat, readStats } from '../threads/control/frame-stats.js';
import type { CaptureOptions } from './captures/capture-picture.js';
import type { EngineHost } from './engine-host.js';
import { EngineServices } from './engine-services.js';
import { engineSettings } from './engine-settings.js';
import { EngineEventTarget } from './events/engine-events.js';
import { EngineThreads } from './events/engine-threads.js';
import type { EngineFences, EngineFencesOptions } from './fences/engine-fences.js';
import type { FlushOptions } from './frames/flush-degree.js';
import {
  type FramePrerequisite,
  PREREQUISITE_OPTIONS,
  type PrerequisiteOptions,
} from './frames/frame-prerequisites.js';
import { FrameProducer } from './frames/frame-producer.js';
import {
  FrameScheduler,
  pageFrameSource,
  START_OPTIONS,
  type StartOptions,
} from './frames/frame-scheduler.js';
import { PictureActivity } from './frames/picture-activity.js';
import type { FrameDescription } from './graph-view/frame-description.js';
import type { GraphViewHandle, GraphViewOptions } from './graph-view/frame-graph-view.js';
import { ENGINE_OPTIONS, type ResolvedOptions, type ThreadingMode } from './options/engine-options.js';
import { FrameSettings } from './options/frame-settings.js';
import type { ResolutionScale, ShownResolutionScale } from './options/resolution-scale.js';
import type { AttachElementOptions, ElementAttachment } from './surfaces/attached-elements.js';
import type { ElementTarget } from './surfaces/element-anchors.js';
import { engineTasks, type Tasks } from './tasks/engine-tasks.js';
import { PageScopes } from './timeline/page-scopes.js';
import type { ChromeTrace, TimelineHandle, TimelineOptions } from './timeline/timeline.js';

/**
 * The public engine, the only object that a page needs to hold. It owns the world and the frame loop, and waits for the
 * threads of its connection. `compose-engine.ts` creates it. `FrameScheduler` and `FrameProducer` produce the frames.
 * They know the engine only by the callbacks that its constructor passes.
 */
export class Engine extends /* @__PURE__ */ refusingUnknown('The engine', EngineEventTarget) {
  #world: World;
  readonly #host: EngineHost;
  readonly #pipeline: Pipeline;
  readonly #producer: FrameProducer;
  readonly #sync: FrameEndSync;
  readonly #scheduler: FrameScheduler;
  readonly #services: EngineServices;
  readonly #settings: FrameSettings;
  /** All settings by name, with their ranges, descriptions and current values: see `docs/guide/engine.md`. */
  readonly settings: Settings = engineSettings(
    this,
    () => this.#pipeline.options,
    (error) => this.#reportError(error),
  );
  readonly #scopes: PageScopes;
  readonly #threads = new EngineThreads((type, detail) => this.emit(type, detail));
  /** The promise that `dispose` returns; null before its first call. */
  #disposal: Promise<LeakReport> | null = null;
  #isReadyAnnounced = false;

  /**
   * @internal use `createEngine`
   * @param connection the first connection; `Pipeline` replaces it when other threads take over
   */
  constructor(connection: RenderConnection, host: EngineHost, options: ResolvedOptions) {
    super();
    this.#host = host;
    const pipeline = new Pipeline(connection, options, (error, thread) => this.#ended(error, thread));
    this.#pipeline = pipeline;
    this.#scopes = new PageScopes(host.events.ring);
    const reportError = (error: unknown): void => this.#reportError(error);
    const worldServices: WorldServices = {
      loadScene: (source, request) => this.#services.load(source, request),
      loadEnvironment: (source, request) => this.#services.loadEnvironment(source, request),
      decodeTexture: (...file) => this.#services.decodeTexture(...file),
      viewSize: () => host.surface.layout,
      viewZoom: () => host.surface.zoom,
      watchPointer: (actor) => this.#services.watchPointer(actor),
      startHelpers: () => this.#services.startHelpers(),
      reportError,
      onChange: () => this.#scheduler.noticeChange(),
      onTickAdded: () => this.#scheduler.wake(),
      showChanges: () => this.#showChanges(),
      checkThread: host.checkThread,
    };
    const world = new World(connection.writer, worldServices);
    this.#world = world;
    this.#sync = new FrameEndSync(pipeline.synced, { lag: options.oneFrameThreadLag });
    this.#settings = new FrameSettings(host.surface, host.look, () => {
      pipeline.measureGpu();
      return pipeline.connection.stats[FrameStat.gpuMs] as number;
    });
    host.look.onChange = () => {
      this.#check();
      this.#settings.isOutputDirty = true;
      this.settings.changed();
      this.#scheduler.noticeChange();
    };
    this.#producer = new FrameProducer(
      connection.writer,
      this.#sync,
      world,
      host.events.ring,
      (writer, flags) => this.#settings.write(writer, flags),
    );
    const activity = new PictureActivity({
      worlds: () => this.#services.allWorlds,
      shownWorld: () => this.#world,
      look: host.look,
    });
    this.#scheduler = new FrameScheduler(
      this.#producer,
      host.frames ?? pageFrameSource,
      reportError,
      activity,
    );
    const { events } = host;
    events.onError = reportError;
    events.onReadback = (request, bytes) => this.#services.captures.receive(request, bytes);
    events.awaitedFrame = () => this.#awaitedFrame();
    events.onResize = (width, height) => this.#surfaceResized(width, height);
    this.#services = new EngineServices({
      host,
      pipeline,
      world,
      worldServices,
      producer: this.#producer,
      scheduler: this.#scheduler,
      settings: this.#settings,
      timelineHost: { scopeOf: (scope) => this.#scopes.nameOf(scope), settings: () => this.settings },
      events,
      threads: this.#threads,
      reportError,
      emit: (type, detail) => this.emit(type, detail),
      fail: (error) => this.#fail(error),
    });
    if (options.recordingTasks > 0) this.#services.startHelpers();
    globalThis.addEventListener?.('keydown', this.#onKey, { signal: world.disposed });
    void this.#threads.announceFirst(() => (this.#disposal ? 'single' : this.threading));
    // Start the pipeline last. It may report failed threads at once, and handling a failure needs everything above.
    pipeline.start();
  }

  /**
   * The world that the canvas shows through its active camera, from the next frame on. The initial world is created
   * with the engine; `createWorld` creates further worlds.
   * @throws OptionError `option-invalid` for a destroyed world or a world of another engine
   */
  get world(): World {
    return this.#world;
  }
  set world(world: World) {
    this.#check();
    if (world !== this.#world && !this.#services.show(world)) {
      throw new OptionError(
        'option-invalid',
        'engine.world takes a world of this engine that was not destroyed.',
      );
    }
    this.#world = world;
    this.#scheduler.noticeChange();
  }

  /**
   * Creates another world with its own actors, ticks, cameras, lights and environment. The world ticks unless it is
   * paused, even if it is not shown. Views with one of its cameras show the world. The canvas shows it once it is
   * `engine.world`.
   * @throws OptionError `option-unknown`, `option-invalid`
   * @example const menu = await engine.createWorld({ name: 'menu' }); engine.world = menu;
   */
  async createWorld(options?: WorldOptions): Promise<AddedWorld> {
    return this.#use().worlds.create(options);
  }

  /** The current threading mode. */
  get threading(): ThreadingMode {
    return this.#pipeline.options.threading;
  }
  set threading(_mode: never) {
    throw new OptionError('option-invalid', "threading is changed by await engine.setThreading('single').");
  }

  /** The thread that owns the GPU device and the canvas; null while ownership changes, or after a loss. */
  get drawingThread(): DrawingThread | null {
    return this.#pipeline.token.thread;
  }

  /** Whether the game runs one frame ahead of the render thread. It can be changed at any time. */
  get oneFrameThreadLag(): boolean {
    return this.#sync.lag;
  }
  set oneFrameThreadLag(lag: boolean) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkBoolean('the engine', 'oneFrameThreadLag', lag);
    this.#sync.lag = lag;
    this.settings.changed();
  }

  /** The canvas that shows the picture. Another canvas may replace it: see `surfacechange`. */
  get canvas(): HTMLCanvasElement {
    return this.#host.surface.canvas;
  }

  /**
   * The colour behind the scene: a CSS colour (sRGB), or linear red, green, blue and alpha from 0 to 1. Exposure and
   * tone mapping don't apply to it. With alpha below 1 the page shows through. It applies from the next frame on.
   */
  get background(): BackgroundColor {
    return this.#host.look.background;
  }
  set background(color: BackgroundColor) {
    this.#check();
    this.#host.look.background = color;
  }

  /** Factor on all light before tone mapping, 1e-6 to 1e6. */
  get exposure(): number {
    return this.#host.look.exposure;
  }
  set exposure(factor: number) {
    this.#check();
    this.#host.look.exposure = factor;
  }

  /**
   * Effects on the picture of all views. A view's own setting of an effect replaces the engine's setting. Each effect
   * is `true`, `false` or its options. A page can assign a single effect, or the whole object. An effect that is
   * missing in an assigned object is off.
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`
   * @example engine.effects.vignette = { amount: 0.6 };
   */
  get effects(): Effects {
    return this.#host.look.effects.shown;
  }
  set effects(effects: EffectsOptions) {
    this.#host.look.effects.assign(effects);
  }

  /** See `EngineOptions.toneMapping`. It applies from the next frame on. */
  get toneMapping(): ToneMapping {
    return this.#host.look.toneMapping;
  }
  set toneMapping(toneMapping: ToneMapping) {
    this.#check();
    this.#host.look.toneMapping = toneMapping;
  }

  /** See `EngineOptions.debugView`. It applies from the next frame on, to all views without one of their own. */
  get debugView(): DebugView {
    return this.#host.look.debugView;
  }
  set debugView(name: DebugView) {
    this.#check();
    this.#host.look.debugView = name;
  }

  /** See `EngineOptions.transparency`. It applies from the next frame on. */
  get transparency(): Transparency {
    return this.#host.look.transparency;
  }
  set transparency(transparency: Transparency) {
    this.#check();
    this.#host.look.transparency = transparency;
  }

  /** See `EngineOptions.antialias`. `true` reads as 4, and `false` as 1. It applies from the next frame on. */
  get antialias(): ShownAntialias {
    return this.#host.look.antialias;
  }
  set antialias(value: Antialias) {
    this.#check();
    this.#host.look.antialias = value;
  }

  /** See `EngineOptions.hdr`. It applies from the next frame on. */
  get hdr(): boolean {
    return this.#host.look.hdr;
  }
  set hdr(isHigh: boolean) {
    this.#check();
    this.#host.look.hdr = isHigh;
  }

  /** The renderer of all views; see `EngineOptions.renderer`. */
  get renderer(): RendererName {
    return this.#host.look.renderer;
  }
  set renderer(name: RendererName) {
    this.#check();
    this.#host.look.renderer = name;
  }

  /**
   * Factor on the width and the height in which the scene is drawn; see `EngineOptions.resolutionScale`. It applies from
   * the next frame on. `stats().resolutionScale` is the current factor.
   * @throws OptionError `option-out-of-range`, `option-unknown`, `option-invalid`
   * @example engine.resolutionScale = { targetMs: 12, minimum: 0.5, maximum: 1 };
   */
  get resolutionScale(): ShownResolutionScale {
    return this.#host.look.resolutionScale;
  }
  set resolutionScale(scale: ResolutionScale) {
    this.#check();
    this.#host.look.resolutionScale = scale;
  }

  /** Physical pixels per CSS pixel, 0.1 to 8; null follows the window's ratio. */
  get pixelRatio(): number | null {
    return this.#host.surface.pixelRatio;
  }
  set pixelRatio(ratio: number | null) {
    this.#check();
    this.#host.surface.pixelRatio =
      ratio === null ? null : checkMember('engine', 'pixelRatio', ratio, ENGINE_OPTIONS.pixelRatio);
    this.#services.followCanvases();
    this.settings.changed();
  }

  /**
   * Starts to tick all worlds and to draw, at each animation frame. With `when: 'changed'`, frames are drawn only while
   * the picture changes: after changes by the page, and while motions, clips or particles run. A resting picture then
   * costs no frames. Another call can change `when`.
   * @throws OptionError `option-unknown`, `option-invalid`
   * @example engine.start({ when: 'changed' });
   */
  start(options: StartOptions = {}): void {
    this.#check();
    const { when } = fillOptions('start', options, START_OPTIONS);
    this.#scheduler.start(when);
    this.#announceReady();
  }

  /** Stops ticking and drawing. The picture stays until the page changes the scene or a property. */
  stop(): void {
    this.#check();
    this.#scheduler.stop();
  }

  /**
   * Draws once at the next animation frame. Ticks run first only in a running engine. A stopped engine, and an engine
   * started with `when: 'changed'`, draw changes of their scene and properties without this call. Changes that the
   * engine can't notice need it, such as those of render modules. An engine driven by `step()` ignores changes until this
   * call or `start()`.
   */
  invalidate(): void {
    this.#check();
    this.#scheduler.invalidate();
    this.#announceReady();
  }

  /**
   * Produces exactly one frame, even if the engine is stopped or hidden, and resolves when the GPU has completed it.
   * The frame waits for pipelines that are being created, so that it is complete. From then on a stopped engine draws
   * only by steps or for a resize, and ignores changes between them, until `start()` or `invalidate()`.
   * @param deltaSeconds seconds that the tick receives, 0 to 1,000,000
   * @throws OptionError `option-out-of-range`
   */
  async step(deltaSeconds: number): Promise<void> {
    this.#checkWait('step()');
    checkNumber('step', 'deltaSeconds', deltaSeconds, 0, 1e6);
    const frame = await this.#scheduler.produceOnce(deltaSeconds, RenderFrameFlag.step, 'tick', numberOf);
    // The figures of both threads have arrived with the signals.
    await this.#pipeline.rendered.whenReached(frame);
    await this.#pipeline.completed.whenReached(frame);
    this.#announceReady();
  }

  /**
   * Waits for all frame prerequisites, then until everything that the game has sent has reached the given stage. By
   * default that is the last stage, the release of resources. A prerequisite that awaits `flush` would wait for itself
   * until its time limit.
   * @param options.until name of the stage; or set `gpu` or `deferredDeletes` to false to skip that part
   * @throws OptionError `option-unknown`, `option-invalid`
   */
  async flush(options: FlushOptions = {}): Promise<void> {
    await this.#use('flush()').flush(options);
  }

  /**
   * Resolves when no texture, load or pipeline is pending, so that later frames are complete. The call draws a frame
   * that waits for its pipelines. It draws none if a stopped engine's last frame has already waited, as each step does.
   * Even then, a requested frame or a new surface size is drawn.
   */
  async whenReady(): Promise<void> {
    this.#checkWait('whenReady()');
    let shown: number;
    do {
      await this.#producer.held;
      await this.#producer.world.whenReady();
      this.#check();
      // An engine driven by steps draws nothing by itself, and its step has already waited for its pipelines. The first
      // frame must be drawn, because it requests images and pipelines. A frame that `invalidate` requested is drawn
      // too.
      const { isRunning, isInvalid } = this.#scheduler;
      const isStepped = !isRunning && !isInvalid && this.#producer.flags & RenderFrameFlag.step;
      if (isStepped && !this.#settings.isSurfaceDirty) return;
      // With the flag `step`, the frame waits for its pipelines. Once it is submitted, no pipeline is missing.
      const produced = await this.#scheduler.produceOnce(0, RenderFrameFlag.step, 'update', (frame) => ({
        frame,
        arrivals: this.#producer.world.arrivals,
      }));
      shown = produced.arrivals;
      await this.#pipeline.submitted.whenReached(produced.frame);
      // Repeat if a load has requested more files, or if an image has arrived after the frame. No complete frame shows
      // that image yet: ticks of a running engine don't wait for their pipelines.
    } while (this.#producer.world.isPending || this.#producer.world.arrivals > shown);
  }

  /**
   * Captures the picture on the canvas: sRGB RGBA8, row 0 at the top. A hidden canvas has the size last shown, if any.
   * With options, the picture is drawn anew in any size, by tiles, with all changes made before the call. The next frame
   * waits until it is drawn.
   * @param options width and height, 1 to 16384 pixels; `samples`, 1 to 64 per pixel; `view` to capture. A view instead
   *   of options is captured as by `view.captureFrame()`
   * @throws StateError `no-frame-yet`, `canvas-hidden`, `view-not-drawn`; OptionError for wrong options and for a view
   *   that was disposed of; RhiError `capture-failed`
   * @example const poster = await engine.captureFrame({ width: 7680, height: 4320, samples: 16 });
   */
  async captureFrame(options?: CaptureOptions | View): Promise<CapturedFrame> {
    return this.#use('captureFrame()').frameCaptures.capture(options);
  }

  /**
   * Adds a view: another picture of the world through its own camera, in a part of the canvas, on another canvas, or
   * in a texture. If the engine can't draw to the other canvas, it fires `error` and removes the view.
   * @throws OptionError; PlatformError `canvas-in-use`
   * @example engine.addView({ camera: world.addCamera(), rect: { x: 0.7, y: 0, width: 0.3, height: 0.3 } });
   */
  addView(options: ViewOptions): View {
    this.#check();
    const { Surface, surface } = this.#host;
    // An OffscreenCanvas gets a plain object first, which `ViewCanvases` replaces with a surface.
    const view = this.#world.addView(options, (canvas) =>
      !(canvas as HTMLElement)?.tagName && (canvas as OffscreenCanvas)?.getContext
        ? { canvas: canvas as OffscreenCanvas }
        : new Surface(canvas as HTMLElement, surface.pixelRatio, () => this.#services.followCanvases()),
    );
    view.captureFrame = async (options) =>
      this.#use('captureFrame()').frameCaptures.capture(options ?? view, view);
    view.pick = (x, y) => this.pick(x, y, view);
    view.engine = this;
    const canvasTaken = this.#services.addView(view);
    if (canvasTaken) this.#addPrerequisite(canvasTaken);
    return view;
  }

  /**
   * Finds the surface that the next frame shows at a point of the canvas, including skinning and alpha cut-outs.
   * @param x CSS pixels from the canvas's left, y from its top: a mouse event's `offsetX` and `offsetY`
   * @param view view to search, as with `view.pick`; `x` and `y` then count from the view's top left
   * @returns null if no mesh is seen there
   * @throws OptionError `option-out-of-range`; `option-invalid` if the view is disposed of before that frame
   * @example canvas.addEventListener('click', async ({ offsetX, offsetY }) => console.log((await engine.pick(offsetX, offsetY))?.actor.name));
   */
  async pick(x: number, y: number, view?: View): Promise<PickResult | null> {
    return this.#use('pick()').picks.pick(x, y, view);
  }

  /**
   * Finds the meshes that the next frame shows in a rectangle of the canvas; hidden meshes are left out. At most
   * 512 × 512 points are sampled, so a mesh smaller than the distance between two points may be missed. If the
   * rectangle touches several views, only the view at its middle is searched.
   * @param x CSS pixels from the canvas's left to the rectangle's upper left corner, y from its top
   * @returns the meshes in the order of the world's actors
   * @throws OptionError `option-out-of-range`
   * @example const selected = (await engine.pickRectangle(10, 10, 200, 100)).map(({ actor }) => actor);
   */
  async pickRectangle(x: number, y: number, width: number, height: number): Promise<PickedMesh[]> {
    return this.#use('pickRectangle()').picks.pickRectangle(x, y, width, height);
  }

  /**
   * Returns figures of each thread for the last frame that it has finished. The first call starts to measure GPU
   * times, which arrive some frames later.
   */
  stats(): EngineStats {
    this.#pipeline.measureGpu();
    const { connection, submitted, completed, presentedFrames } = this.#pipeline;
    // Read `completed` before `submitted`: both rise meanwhile, and the difference must not be negative.
    const completedFrame = completed.value;
    const { retainedBytes } = this.#producer.world;
    return {
      frame: this.#producer.frame,
      gameThreadMs: this.#producer.gameThreadMs,
      gameWaitMs: this.#scheduler.gameWaitMs,
      framesInFlight: submitted.value - completedFrame,
      retainedBytes,
      resolutionScale: this.#settings.resolutionScale,
      memory: this.#services.memory(),
      ...readStats(connection.stats, FrameStat),
      views: this.#services.views?.stats ?? [],
      presentedFrames,
    };
  }

  /**
   * Loads an ES module of the page on the render thread, and calls its default export with a `RenderModuleApi`.
   * @param url URL that is resolved against the document, or a `blob:` or `data:` URL
   * @typeParam Commands names of the module's commands, with the types of their data
   * @throws ThreadError `render-module-failed`, StateError `render-module-invalid`
   * @example const module = await engine.addRenderModule('pulse.js'); module.send('pulse', { actor: module.idOf(cube) });
   */
  async addRenderModule<Commands extends object = Record<string, RenderCommandData>>(
    url: string | URL,
    options: RenderModuleOptions = {},
  ): Promise<RenderModule<Commands>> {
    return (await this.#use().work()).addRenderModule(url, options) as Promise<RenderModule<Commands>>;
  }

  /**
   * Creates a fence for all frames produced and all commands sent so far. All fences created during one frame share one
   * notification.
   * @param options.through stage that the work has to reach: recorded by the render thread (`'render'`, default),
   *   submitted to the canvas (`'present'`), or completed by the GPU (`'gpu'`)
   * @throws OptionError `option-unknown`, `option-invalid`
   */
  async renderFence(options: { readonly through?: FenceReach } = {}): Promise<RenderFence> {
    return (await this.#use().work()).renderFence(options);
  }

  /**
   * Returns the group of fences that the page shares with its render modules, the GPU and its own workers. Use the
   * group to create, share, signal and await fences. The group ends with the engine, and outlives the
   * engine's threads. Its fence `queueProgress` counts the frames that the GPU has completed.
   * @param options.namesQueues whether notifications of the GPU's signals name the GPU's queue instead of the fences
   *   (default false). The first call decides
   * @throws ThreadError `features-missing`; OptionError `option-unknown`, `option-invalid`; StateError `fences-created`
   * @example const done = (await engine.fences()).create('done'); await done.whenReached(1);
   */
  async fences(options: EngineFencesOptions = {}): Promise<EngineFences> {
    return this.#use().fences(options);
  }

  /** Runs functions of the page's modules in a pool of workers. */
  readonly tasks: Tasks = engineTasks(
    () => this.#use().openTasks(),
    () => this.#services.openedTasks,
  );

  /**
   * Delays the drawing of the next frame, after its tick, until a task has ended. A call from a tick delays that tick's
   * own frame. The frame shows the task's changes of the scene; `flush` waits for the task, too. No thread is blocked.
   * If the task fails or exceeds its time limit, the engine fires `error` and draws the frame without it. A task must
   * not wait for frames (`flush`, `step`, `whenReady` …), because it would wait for itself. Such a call throws in the
   * synchronous part of the task's function. After an `await`, it waits until the time limit.
   * @param task a promise, or a function that is called with the frame's number and may return a promise
   * @param options.name name of the task in error messages
   * @param options.seconds time limit, 0 to 3600; default 10
   * @throws OptionError `option-unknown`, `option-out-of-range`
   */
  addFramePrerequisite(task: FramePrerequisite, options: PrerequisiteOptions = {}): void {
    this.#check();
    checkOptions('addFramePrerequisite', options, PREREQUISITE_OPTIONS);
    this.#addPrerequisite(this.#services.prerequisites.add(task, options));
  }

  /**
   * Keeps an element of the page over an actor, a point of a surface, or a point of the world. Each shown frame places
   * the element by the frame's camera, and hides it while the target is hidden or outside of the picture. An element
   * outside of the document is inserted after the canvas. Attaching an element again moves it to the new target.
   * @param target an actor or a component; the result of a pick or a ray, whose point the element follows while the
   *   mesh moves; or x, y and z in the shown world, in metres
   * @throws OptionError
   * @example const label = engine.attachElement(text, robot, { offset: [0, 2, 0], occlude: true });
   * @example const hit = await engine.pick(x, y); if (hit) engine.attachElement(button, hit, { occlude: true });
   */
  attachElement(
    element: HTMLElement,
    target: ElementTarget,
    options: AttachElementOptions = {},
  ): ElementAttachment {
    this.#check();
    const end = new AbortController();
    this.#services.elements.attach(element, target, options, end.signal);
    this.#scheduler.noticeChange();
    return { dispose: () => end.abort() };
  }

  /**
   * Runs a function, and shows its time under this name on the timeline and in traces: until it returns, or until its
   * promise has settled. Scopes may be nested. `performance.measure` of the page is shown as well.
   * @returns the function's result
   * @throws OptionError `option-invalid`; and every error of the function
   * @example world.onTick(() => engine.scope('physics', () => physics.step()));
   */
  scope<Result>(name: string, work: () => Result): Result {
    checkMember('scope', 'name', name, SCOPE.name);
    checkMember('scope', 'function', work, SCOPE.work);
    return this.#scopes.run(name, work);
  }

  /**
   * Shows a value under this name on the timeline and in traces, from now until the next value.
   * @throws OptionError `option-invalid`
   * @example world.onTick(() => engine.counter('enemies', enemies.length));
   */
  counter(name: string, value: number): void {
    checkMember('counter', 'name', name, SCOPE.name);
    checkMember('counter', 'value', value, SCOPE.value);
    this.#scopes.count(name, value);
  }

  /** Starts a trace: keeps the events of all threads from now on, with their frames and times. */
  async startTrace(): Promise<void> {
    await (await this.#use().timeline()).startTrace();
  }

  /** Ends the trace. The result can be saved as JSON and opened in Perfetto or `chrome://tracing`. */
  async stopTrace(): Promise<ChromeTrace> {
    return (await this.#use().timeline()).stopTrace();
  }

  /**
   * Shows the timeline over the page: the work of each thread by frame and time. The key of the option `timelineKey`
   * shows and hides it.
   * @throws OptionError `option-unknown`, `option-out-of-range`; PlatformError `document-missing`
   */
  async showTimeline(options?: TimelineOptions): Promise<TimelineHandle> {
    return (await this.#use().timeline()).show(options);
  }

  /**
   * Describes the last frame: its passes, and the textures and buffers that they read and write, with their lifetimes
   * and shared memory. GPU times arrive some frames after the first call.
   * @throws ThreadError; RhiError `device-lost` if the device is lost permanently
   * @example console.log(`${await engine.frameGraph()}`);
   */
  async frameGraph(): Promise<FrameDescription> {
    return (await this.#use().graphView()).describe();
  }

  /**
   * Shows the frame graph and its changes over the page until the view is closed.
   * @throws OptionError `option-unknown`, `option-invalid`; PlatformError `document-missing`
   */
  async showFrameGraph(options?: GraphViewOptions): Promise<GraphViewHandle> {
    return (await this.#use().graphView()).show(options);
  }

  /**
   * Starts to capture the renderer's GPU commands and the contents of its resources at the next frame. The capture
   * survives restarts and changes of threads. The promise resolves when the threads have started the capture, or when
   * the engine is disposed of.
   * @throws ThreadError `features-missing`
   */
  async startCapture(): Promise<void> {
    await this.#use().calls.startCapture();
  }

  /**
   * Ends the capture with the last whole frame. The file is self-contained: `replay` of `fencepost/rhi` shows its
   * frames anywhere, and the demo's capture page steps through their draws.
   * @throws RhiError `capture-empty` if no frame was drawn since `startCapture`; `capture-too-large` if its data
   *   exceeded the option `maximumCaptureBytes`; StateError `no-capture` without `startCapture`
   */
  async stopCapture(): Promise<ArrayBuffer> {
    return this.#use().calls.stopCapture();
  }

  /**
   * Moves the work to other threads, at any time. Resolves when their first frame is complete; the picture stays the
   * same. Switching to or from `single` replaces the canvas with a fresh one (`surfacechange`).
   * @throws OptionError `option-invalid`; the ThreadErrors and PlatformErrors of `createEngine`, after which the old
   *   threads continue
   */
  async setThreading(mode: ThreadingMode): Promise<void> {
    await this.#use('setThreading()').restarts.setThreading(mode);
    this.settings.changed();
  }

  /**
   * Destroys the GPU device, to test the behaviour that the option `deviceLost` selects. Resolves when the engine has
   * noticed the loss; `devicerestored` reports the next device.
   * @throws RhiError `device-lost`, or the error with which the engine has failed
   */
  async simulateDeviceLoss(): Promise<void> {
    await this.#use().restarts.loseDevice();
  }

  /**
   * Ends the workers, frees everything and reports the resources that were still alive. Pending and later calls reject
   * with `engine-disposed`; a second `dispose` returns the same promise. Another engine can use the canvas at once.
   * @throws ThreadError `wait-timed-out` if a worker has not answered for 30 s. The worker is terminated anyway.
   */
  dispose(): Promise<LeakReport> {
    this.#disposal ??= this.#end();
    return this.#disposal;
  }

  /**
   * @internal Fails the engine, because its first threads did not start. No other threads are tried. The call has no
   * effect if other threads have taken over, because the takeover itself ended the first threads.
   */
  startFailed(first: RenderConnection, error: FencepostError): void {
    const { isConnected, connection } = this.#pipeline;
    if (this.#disposal || !isConnected || connection !== first) return;
    this.#producer.hold();
    this.#pipeline.release();
    this.#services.restarts.giveUp(error);
  }

  async #end(): Promise<LeakReport> {
    this.#host.surface.leave();
    this.#scheduler.dispose();
    const { isConnected, connection } = this.#pipeline;
    this.#pipeline.release();
    this.#services.endLoads();
    // Threads that have failed, or that are being replaced, accept no commands.
    const canSend = isConnected && !this.#producer.held;
    try {
      const { world } = this.#producer;
      world.dispose();
      if (canSend) {
        world.sendUpdates();
        connection.writer.publish();
      }
      this.#fail(disposedError());
      // Threads that have not started have created nothing.
      if (!isConnected || !connection.capabilities)
        return (await this.#services.failureReport) ?? { leaks: [] };
      const report = await connection.control.shutDown();
      // Threads that got no command to free the scene still hold it, which is not a leak.
      return canSend ? report : { leaks: [] };
    } finally {
      connection.end();
      this.#host.surface.dispose();
      this.#threads.end();
    }
  }

  /** Draws a frame that waits for its pipelines. Resolves when the GPU has completed it. */
  async #showChanges(): Promise<void> {
    this.#checkWait('level.shown');
    const frame = await this.#scheduler.produceOnce(0, RenderFrameFlag.step, 'update', numberOf);
    await this.#pipeline.completed.whenReached(frame);
    this.#announceReady();
  }

  /** Delays the next frame until the task and all earlier tasks have ended. Reports the task's error. */
  #addPrerequisite(task: Promise<void>): void {
    const before = this.#producer.prerequisite;
    const reported = task.catch((error: unknown) => this.#reportError(error));
    this.#producer.prerequisite = Promise.all([before, reported]);
  }

  #check(): void {
    this.#host.checkThread?.('A call of the engine');
    if (this.#disposal) throw disposedError();
  }

  /**
   * Returns the services of a living engine.
   * @param call name of a call that waits for the render thread
   * @throws StateError `engine-disposed`; ThreadError `blocked-on-render-thread`
   */
  #use(call?: string): EngineServices {
    if (call) this.#checkWait(call);
    else this.#check();
    return this.#services;
  }

  /** Checks a call that waits for the render thread. @throws ThreadError `blocked-on-render-thread` */
  #checkWait(call: string): void {
    this.#check();
    this.#producer.checkWait(call);
  }

  readonly #onKey = ({ key, defaultPrevented }: KeyboardEvent): void => {
    if (key === this.#pipeline.options.timelineKey && !defaultPrevented)
      this.#services
        .timeline()
        .then((timeline) => timeline.toggle())
        .catch((error: unknown) => this.#reportError(error));
  };

  /** Holds all frames after a thread has failed or lost its device, until new threads take over or the engine fails. */
  #ended(error: FencepostError, thread: PipelineThread): void {
    this.#producer.hold();
    this.#services.restarts.recover({ error, thread });
  }

  #fail(error: FencepostError): void {
    this.#pipeline.fail(error);
    this.#scheduler.ignoreChanges();
    this.#services.fail(error);
    this.#producer.release();
  }

  #awaitedFrame(): number {
    const { completed, connection } = this.#pipeline;
    const { frame } = this.#producer;
    const hasAll =
      completed.isReached(frame) && this.#services.captures.isEmpty && connection.writer.isWritable;
    return completed.error || hasAll || !this.#pipeline.isConnected ? 0 : frame;
  }

  #reportError(error: unknown): void {
    if (this.#disposal) return;
    const typed = typedError(error);
    this.#host
      .recordFlight?.(typed)
      .then((file) => file && this.emit('flightrecording', { file, error: typed }));
    this.emit('error', typed);
  }

  #surfaceResized(width: number, height: number): void {
    if (this.#disposal) return;
    if (this.#producer.frame > 0) {
      this.#scheduler.redraw();
      this.#announceReady();
    }
    this.emit('resize', { width, height });
  }

  #announceReady(): void {
    if (this.#isReadyAnnounced) return;
    this.#isReadyAnnounced = true;
    this.whenReady().then(
      () => {
        const { width, height } = this.#host.surface;
        // Without a size there is no picture; `#surfaceResized` calls this again.
        this.#isReadyAnnounced = width > 0 && height > 0;
        if (this.#isReadyAnnounced) this.emit('ready', { frame: this.#producer.frame });
      },
      () => {}, // The engine was disposed of or failed before the first picture; a failure has its own event.
    );
  }
}

const SCOPE = { name: text(), work: func(), value: number() };

const numberOf = (frame: number): number => frame;
