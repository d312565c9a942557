import { disposedError, type FencepostError, OptionError, typedError } from '../core/errors.js';
import { checkOptions } from '../core/options/check-options.js';
import { checkBoolean, checkNumber } from '../core/options/check-value.js';
import { checkMember } from '../core/options/member.js';
import { refusingUnknown } from '../game/checks/unknown-properties.js';
import type { AttachTarget } from '../game/components/scene-component.js';
import type { Effects } from '../game/effects/effect-settings.js';
import type { PickedMesh, PickResult } from '../game/picking/pick-result.js';
import type { AddedWorld, WorldOptions } from '../game/world/added-world.js';
import type { View, ViewOptions } from '../game/world/view.js';
import { World, type WorldServices } from '../game/world/world.js';
import { type RendererName, RenderFrameFlag, type ToneMapping } from '../proxy/commands.js';
import type { EffectsOptions } from '../proxy/effects.js';
import type { CapturedFrame } from '../proxy/unpack-capture.js';
import type { RenderModule } from '../render-modules/page/render-module.js';
import type { FenceReach, RenderFence, RenderModuleOptions } from '../render-modules/page/render-work.js';
import type { LeakReport } from '../rhi/execute/executor.js';
import type { Fences } from '../sync/fences/fences.js';
import { FrameEndSync } from '../sync/frame-end-sync.js';
import type { PipelineThread, RenderConnection } from '../threads/connections/connection.js';
import type { DrawingThread } from '../threads/connections/drawing-token.js';
import { Pipeline } from '../threads/connections/pipeline.js';
import { type EngineStats, FrameStat, memoryStats, readStats } from '../threads/control/frame-stats.js';
import type { EngineHost } from './engine-host.js';
import { EngineServices } from './engine-services.js';
import { EngineEventTarget } from './events/engine-events.js';
import { EngineThreads } from './events/engine-threads.js';
import type { FlushOptions } from './frames/flush-degree.js';
import {
  type FramePrerequisite,
  PREREQUISITE_OPTIONS,
  type PrerequisiteOptions,
} from './frames/frame-prerequisites.js';
import { FrameProducer } from './frames/frame-producer.js';
import { FrameScheduler, pageFrameSource } from './frames/frame-scheduler.js';
import type { FrameDescription } from './graph-view/frame-description.js';
import type { GraphViewHandle, GraphViewOptions } from './graph-view/frame-graph-view.js';
import {
  type BackgroundColor,
  ENGINE_OPTIONS,
  type ResolvedOptions,
  type ThreadingMode,
} from './options/engine-options.js';
import { FrameSettings } from './options/frame-settings.js';
import type { AttachElementOptions, ElementAttachment } from './surfaces/attached-elements.js';
import { engineTasks, type Tasks } from './tasks/engine-tasks.js';
import type { ChromeTrace, TimelineHandle, TimelineOptions } from './timeline/timeline.js';

/**
 * The public engine, the only object a page needs to hold: it drives world and frame loop, and waits for the
 * threads behind its connection. `compose-engine.ts` puts it together; nothing in it runs per frame except
 * through `FrameScheduler`.
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
  readonly #threads = new EngineThreads((type, detail) => this.emit(type, detail));
  /** What `dispose` gives, from its first call on. */
  #disposal: Promise<LeakReport> | null = null;
  #isReadyAnnounced = false;

  /**
   * @internal use `createEngine`
   * @param connection the first; it is not held any longer than it is followed
   */
  constructor(connection: RenderConnection, host: EngineHost, options: ResolvedOptions) {
    super();
    this.#host = host;
    const pipeline = new Pipeline(connection, options, (error, thread) => this.#ended(error, thread));
    this.#pipeline = pipeline;
    const reportError = (error: unknown): void => this.#reportError(error);
    const services: WorldServices = {
      loadScene: (source, request) => this.#services.load(source, request),
      loadEnvironment: (source, request) => this.#services.loadEnvironment(source, request),
      decodeTexture: (...file) => this.#services.decodeTexture(...file),
      viewSize: () => host.surface.layout,
      viewZoom: () => host.surface.zoom,
      watchPointer: (actor) => this.#services.watchPointer(actor),
      startHelpers: () => this.#services.startHelpers(),
      reportError,
      onChange: () => this.#scheduler.noticeChange(),
      checkThread: host.checkThread,
    };
    const world = new World(connection.writer, services);
    this.#world = world;
    this.#sync = new FrameEndSync(pipeline.synced, { lag: options.oneFrameThreadLag });
    this.#settings = new FrameSettings(host.surface, host.look);
    host.look.onChange = () => {
      this.#check();
      this.#settings.isOutputDirty = true;
      this.#scheduler.noticeChange();
    };
    this.#producer = new FrameProducer(
      connection.writer,
      this.#sync,
      world,
      host.events.ring,
      (writer, flags) => this.#settings.write(writer, flags),
    );
    this.#scheduler = new FrameScheduler(this.#producer, host.frames ?? pageFrameSource, reportError);
    const { events } = host;
    events.onError = reportError;
    events.onReadback = (request, bytes) => this.#services.captures.receive(request, bytes);
    events.awaitedFrame = () => this.#awaitedFrame();
    events.onResize = (width, height) => this.#surfaceResized(width, height);
    this.#services = new EngineServices({
      host,
      pipeline,
      world,
      services,
      producer: this.#producer,
      scheduler: this.#scheduler,
      settings: this.#settings,
      events,
      threads: this.#threads,
      reportError,
      emit: (type, detail) => this.emit(type, detail),
      fail: (error) => this.#fail(error),
    });
    globalThis.addEventListener?.('keydown', this.#onKey, { signal: world.disposed });
    void this.#threads.announceFirst(() => (this.#disposal ? 'single' : this.threading));
    // Last: threads may have failed already, which wants all of the above.
    pipeline.start();
  }

  /**
   * The world that the canvas shows by its active camera, from the next frame on. At first that which the engine was made with;
   * `createWorld` makes others.
   * @throws OptionError `option-invalid` where it is no world of this engine, or was destroyed
   */
  get world(): World {
    return this.#world;
  }
  set world(world: World) {
    this.#check();
    if (world !== this.#world && !this.#services.shows(world)) {
      throw new OptionError('option-invalid', 'engine.world takes a world of this engine.');
    }
    this.#world = world;
    this.#scheduler.noticeChange();
  }

  /**
   * A further world: with actors, ticks, cameras, lights and an environment of its own. It ticks, shown or not, unless it is
   * paused. It is seen where a view has a camera of it, and on the canvas once it is `engine.world`.
   * @throws OptionError `option-unknown`, `option-invalid`
   * @example const menu = await engine.createWorld({ name: 'menu' }); engine.world = menu;
   */
  async createWorld(options?: WorldOptions): Promise<AddedWorld> {
    return this.#use().worlds.create(options);
  }

  /** Which threads do what, now. */
  get threading(): ThreadingMode {
    return this.#pipeline.options.threading;
  }
  set threading(_mode: never) {
    throw new OptionError('option-invalid', "threading is changed by await engine.setThreading('single').");
  }

  /** The thread that has the GPU device and the canvas; null while they pass to another, or are lost. */
  get drawingThread(): DrawingThread | null {
    return this.#pipeline.token.thread;
  }

  /** Whether the game runs one frame ahead of the render thread; can be switched at any time. */
  get oneFrameThreadLag(): boolean {
    return this.#sync.lag;
  }
  set oneFrameThreadLag(lag: boolean) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkBoolean('the engine', 'oneFrameThreadLag', lag);
    this.#sync.lag = lag;
  }

  /** The canvas that shows the picture. It can change: see `surfacechange`. */
  get canvas(): HTMLCanvasElement {
    return this.#host.surface.canvas;
  }

  /**
   * What is behind the scene, neither exposed nor tone-mapped: a CSS colour (sRGB) or linear numbers from 0 to 1, alpha
   * included. Where alpha is below 1 the page shows through. Shown from the next frame on, as are the others.
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
   * Effects on the picture of all views that have not set them: each `true`, `false` or its options. Single ones and all of them can be
   * set; those that are missing in what is set are off.
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`
   * @example engine.effects.vignette = { amount: 0.6 };
   */
  get effects(): Effects {
    return this.#host.look.effects.shown;
  }
  set effects(effects: EffectsOptions) {
    this.#host.look.effects.assign(effects);
  }

  /** Shown from the next frame on. */
  get toneMapping(): ToneMapping {
    return this.#host.look.toneMapping;
  }
  set toneMapping(toneMapping: ToneMapping) {
    this.#check();
    this.#host.look.toneMapping = toneMapping;
  }

  /** Samples per pixel when read: 4 or 1. `true` stands for 4, `false` for 1. */
  get antialias(): 1 | 4 {
    return this.#host.look.sampleCount;
  }
  set antialias(value: boolean | 1 | 4) {
    this.#check();
    this.#host.look.antialias = value;
  }

  /** See `EngineOptions.hdr`. Shown from the next frame on. */
  get hdr(): boolean {
    return this.#host.look.hdr;
  }
  set hdr(isHigh: boolean) {
    this.#check();
    this.#host.look.hdr = isHigh;
  }

  /** How views are drawn; see `EngineOptions.renderer`. */
  get renderer(): RendererName {
    return this.#host.look.renderer;
  }
  set renderer(name: RendererName) {
    this.#check();
    this.#host.look.renderer = name;
  }

  /** Physical pixels per CSS pixel, 0.1 to 8; null: the window's, followed as it changes. */
  get pixelRatio(): number | null {
    return this.#host.surface.pixelRatio;
  }
  set pixelRatio(ratio: number | null) {
    this.#check();
    this.#host.surface.pixelRatio =
      ratio === null ? null : checkMember('engine', 'pixelRatio', ratio, ENGINE_OPTIONS.pixelRatio);
    this.#services.followCanvases();
  }

  /** Starts to tick the world and draw at every animation frame. */
  start(): void {
    this.#check();
    this.#scheduler.start();
    this.#announceReady();
  }

  /** Stops ticking and drawing; the picture stays until something is changed. */
  stop(): void {
    this.#check();
    this.#scheduler.stop();
  }

  /**
   * Draws once at the next animation frame, without ticking. An engine at rest draws changes of its scene and its properties without
   * being asked; one that `step()` drives does so from this call on.
   */
  invalidate(): void {
    this.#check();
    this.#scheduler.invalidate();
    this.#announceReady();
  }

  /**
   * Produces exactly one frame, also when stopped or hidden, and resolves when the GPU has completed it.
   * Nothing is left out: the frame waits for pipelines that are being created. A stopped engine then draws by steps alone, whatever
   * is changed between them, until `start()` or `invalidate()`.
   * @param deltaSeconds what the tick receives, 0 to 1,000,000
   * @throws OptionError `option-out-of-range`
   */
  async step(deltaSeconds: number): Promise<void> {
    this.#checkWait('step()');
    checkNumber('step', 'deltaSeconds', deltaSeconds, 0, 1e6);
    const frame = await this.#scheduler.produceOnce(deltaSeconds, RenderFrameFlag.step, 'tick', numberOf);
    await this.#pipeline.completed.whenReached(frame);
    this.#announceReady();
  }

  /**
   * Resolves when all frame prerequisites have ended, and everything the game has sent has come as far as asked: by default
   * all the way, to resources that are released. One that waits for it waits for itself, until its time is over.
   * @param options.until how far, by name; or `gpu` and `deferredDeletes`, each false to leave its part out
   * @throws OptionError `option-unknown`, `option-invalid`
   */
  async flush(options: FlushOptions = {}): Promise<void> {
    await this.#use('flush()').flush(options);
  }

  /**
   * Resolves when nothing is pending any more: textures, loads, pipelines; what is drawn from then on is complete. An
   * engine that has drawn nothing yet draws a frame for it, and so does one that `invalidate()` has asked for a frame.
   */
  async whenReady(): Promise<void> {
    this.#checkWait('whenReady()');
    let shown: number;
    do {
      await this.#producer.held;
      await this.#producer.world.whenReady();
      this.#check();
      // A stopped engine draws nothing by itself, and a step has waited for its pipelines already. The first frame is
      // drawn, since it is what asks for images and pipelines, and so is one that `invalidate` has asked for.
      const { isRunning, isInvalid } = this.#scheduler;
      const isStepped = !isRunning && !isInvalid && this.#producer.flags & RenderFrameFlag.step;
      if (isStepped && !this.#settings.isSurfaceDirty) return;
      // A frame that waits for its pipelines: once it is submitted, none is missing any more.
      const produced = await this.#scheduler.produceOnce(0, RenderFrameFlag.step, 'update', (frame) => ({
        frame,
        arrivals: this.#producer.world.arrivals,
      }));
      shown = produced.arrivals;
      await this.#pipeline.submitted.whenReached(produced.frame);
      // Meanwhile a file may have asked for more, and an image may have arrived: no frame shows it yet, or one of the
      // running engine does, which did not wait for its pipelines.
    } while (this.#producer.world.isPending || this.#producer.world.arrivals > shown);
  }

  /**
   * What the canvas shows, or would show where it is hidden, in the size that it was shown in last: sRGB RGBA8, row 0 at
   * the top.
   * @param view what it shows instead: `view.captureFrame`
   * @throws StateError `no-frame-yet`, `canvas-hidden` where it has never been shown; RhiError `capture-failed`
   */
  async captureFrame(view?: View): Promise<CapturedFrame> {
    return this.#use('captureFrame()').captureFrame(view);
  }

  /**
   * A further picture of the world by a camera of its own: in a part of the canvas, on another canvas, or in a texture. An
   * OffscreenCanvas that can't be drawn to is an `error` event, and the view is taken away.
   * @throws OptionError; PlatformError `canvas-in-use`
   * @example engine.addView({ camera: world.addCamera(), rect: { x: 0.7, y: 0, width: 0.3, height: 0.3 } });
   */
  addView(options: ViewOptions): View {
    this.#check();
    const { Surface, surface } = this.#host;
    // Of one that is no element, its code knows how.
    const view = this.#world.addView(options, (canvas) =>
      !(canvas as HTMLElement)?.tagName && (canvas as OffscreenCanvas)?.getContext
        ? { canvas: canvas as OffscreenCanvas }
        : new Surface(canvas as HTMLElement, surface.pixelRatio, () => this.#services.followCanvases()),
    );
    view.captureFrame = () => this.captureFrame(view);
    view.pick = (x, y) => this.pick(x, y, view);
    const canvasTaken = this.#services.addView(view);
    if (canvasTaken) this.#addPrerequisite(canvasTaken);
    return view;
  }

  /**
   * What is seen at a place of the canvas, by the next frame: as it is drawn, bent by its joints and cut out by its alpha.
   * @param x CSS pixels from the canvas's left, y from its top: a mouse event's `offsetX` and `offsetY`
   * @param view where `x` and `y` count from its top left: `view.pick`
   * @returns null where nothing is
   * @throws OptionError `option-out-of-range`; `option-invalid` where the view is disposed of before a frame looks
   * @example canvas.addEventListener('click', async ({ offsetX, offsetY }) => console.log((await engine.pick(offsetX, offsetY))?.actor.name));
   */
  async pick(x: number, y: number, view?: View): Promise<PickResult | null> {
    return this.#use('pick()').picks.pick(x, y, view);
  }

  /**
   * Which meshes are seen in a part of the canvas, by the next frame: those that nothing hides there. It is looked at in at most
   * 512 × 512 points; what is smaller than their distance may be missed. Of several views, the one in its middle counts.
   * @param x CSS pixels from the canvas's left, y from its top, of its upper left corner
   * @returns in the order of the world's actors
   * @throws OptionError `option-out-of-range`
   * @example const selected = (await engine.pickRectangle(10, 10, 200, 100)).map(({ actor }) => actor);
   */
  async pickRectangle(x: number, y: number, width: number, height: number): Promise<PickedMesh[]> {
    return this.#use('pickRectangle()').picks.pickRectangle(x, y, width, height);
  }

  /** Figures of the last finished frame. The first call has GPU times measured, some frames after the second is complete. */
  stats(): EngineStats {
    this.#pipeline.measureGpu();
    const { connection, submitted, completed, presentedFrames } = this.#pipeline;
    // First: both go on while they are read.
    const completedFrame = completed.value;
    const { retainedBytes } = this.#producer.world;
    return {
      frame: this.#producer.frame,
      gameThreadMs: this.#producer.gameThreadMs,
      gameWaitMs: this.#scheduler.gameWaitMs,
      framesInFlight: submitted.value - completedFrame,
      retainedBytes,
      memory: memoryStats(connection.stats, connection.writer.pageBytes, retainedBytes),
      ...readStats(connection.stats, FrameStat),
      views: this.#services.views?.stats ?? [],
      presentedFrames,
    };
  }

  /**
   * Loads an ES module of yours where the render thread is, and calls its default export with a `RenderModuleApi`.
   * @param url resolved against the document; `blob:` and `data:` as well
   * @throws ThreadError `render-module-failed`, StateError `render-module-invalid`
   * @example const module = await engine.addRenderModule('pulse.js'); module.send('pulse', { actor: module.idOf(cube) });
   */
  async addRenderModule(url: string | URL, options: RenderModuleOptions = {}): Promise<RenderModule> {
    return (await this.#use().work()).addRenderModule(url, options);
  }

  /**
   * Stands for all frames produced and all commands sent so far; many that are begun in a frame are one notification.
   * @param options.through how far they have to be: recorded by the render thread (`'render'`, default), submitted to the
   *   canvas (`'present'`), or completed by the GPU (`'gpu'`)
   * @throws OptionError `option-unknown`, `option-invalid`
   */
  async renderFence(options: { readonly through?: FenceReach } = {}): Promise<RenderFence> {
    return (await this.#use().work()).renderFence(options);
  }

  /**
   * The group of fences that the page shares with its render modules, the GPU and workers of its own: to create, share,
   * signal and wait. It ends with the engine, and outlives the threads behind it.
   * @throws ThreadError `features-missing`
   * @example const done = (await engine.fences()).create('done'); await done.whenReached(1);
   */
  async fences(): Promise<Fences> {
    const page = await this.#use().fences();
    await page.connect();
    return page.fences;
  }

  /** Runs functions of your modules in a pool of workers. */
  readonly tasks: Tasks = engineTasks(
    () => this.#use().openTasks(),
    () => this.#services.openedTasks,
  );

  /**
   * A task that must end between the next frame's tick and its drawing, and before `flush` resolves; called in a tick, of
   * that tick's frame. What it changes in the scene shows in that frame. No thread is blocked. An error is an `error`
   * event, as is running out of time; the frame is drawn then. A call in it that waits for frames (`flush`, `step`,
   * `whenReady` …) would wait for itself, and throws.
   * @param task a promise, or a function that is called with the frame's number and may return one
   * @param options.name for messages
   * @param options.seconds how long it may take, 0 to 3600; default 10
   * @throws OptionError `option-unknown`, `option-out-of-range`
   */
  addFramePrerequisite(task: FramePrerequisite, options: PrerequisiteOptions = {}): void {
    this.#check();
    checkOptions('addFramePrerequisite', options, PREREQUISITE_OPTIONS);
    this.#addPrerequisite(this.#services.prerequisites.add(task, options));
  }

  /**
   * Has an element of the page stay over an actor: it is placed with each frame that is shown, by that frame's camera, and hidden
   * where the actor is not seen. One that is not in the document is put behind the canvas. Attached again, it goes to the new place.
   * @throws OptionError
   * @example const label = engine.attachElement(text, robot, { offset: [0, 2, 0], occlude: true });
   */
  attachElement(
    element: HTMLElement,
    target: AttachTarget,
    options: AttachElementOptions = {},
  ): ElementAttachment {
    this.#check();
    const end = new AbortController();
    this.#services.elements.attach(element, target, options, end.signal);
    this.#scheduler.noticeChange();
    return { dispose: () => end.abort() };
  }

  /** Keeps what the threads note about their work from here on: who is in which frame, and when. */
  async startTrace(): Promise<void> {
    await (await this.#use().timeline()).startTrace();
  }

  /** Ends the trace; the result can be saved as JSON and opened in Perfetto or `chrome://tracing`. */
  async stopTrace(): Promise<ChromeTrace> {
    return (await this.#use().timeline()).stopTrace();
  }

  /**
   * Shows over the page which thread works on which frame, and when; as the key of the option `timelineKey` does.
   * @throws OptionError `option-unknown`, `option-out-of-range`; PlatformError `document-missing`
   */
  async showTimeline(options?: TimelineOptions): Promise<TimelineHandle> {
    return (await this.#use().timeline()).show(options);
  }

  /**
   * What the last frame was made of: its passes, the textures and buffers that they read and write, how long these live,
   * and the memory they share. GPU times are there some frames after the first call.
   * @throws ThreadError; RhiError `device-lost` where the device is lost for good
   * @example console.log(`${await engine.frameGraph()}`);
   */
  async frameGraph(): Promise<FrameDescription> {
    return (await this.#use().graphView()).describe();
  }

  /**
   * Shows what frames are made of over the page, and how that changes, until it is closed.
   * @throws OptionError `option-unknown`, `option-invalid`; PlatformError `document-missing`
   */
  async showFrameGraph(options?: GraphViewOptions): Promise<GraphViewHandle> {
    return (await this.#use().graphView()).show(options);
  }

  /**
   * Starts to capture what the renderer says to the GPU, with everything that its resources hold, at the next frame. Goes on
   * over restarts and changes of threads. Resolves when the threads know; who disposes of the engine need not wait for that.
   * @throws ThreadError `features-missing`
   */
  async startCapture(): Promise<void> {
    await this.#use().calls.startCapture();
  }

  /**
   * Ends the capture with the last whole frame. The file is complete in itself: `replay` of `fencepost/rhi` shows its
   * frames anywhere, and the demo's capture page steps through their draws.
   * @throws RhiError `capture-empty` when no frame was drawn since `startCapture`; StateError `no-capture` without one
   */
  async stopCapture(): Promise<ArrayBuffer> {
    return this.#use().calls.stopCapture();
  }

  /**
   * Moves the work to other threads, whatever is under way; resolves when the first frame there is complete. The picture
   * stays the same. `single` to and from the others needs a fresh canvas, which takes the old one's place
   * (`surfacechange`).
   * @throws OptionError `option-invalid`; ThreadError, PlatformError as `createEngine`: the old threads go on then
   */
  async setThreading(mode: ThreadingMode): Promise<void> {
    await this.#use('setThreading()').restarts.setThreading(mode);
  }

  /**
   * Destroys the GPU device, to try out what the option `deviceLost` says. Resolves when the engine has heard of the loss;
   * `devicerestored` says when there is another device.
   * @throws RhiError `device-lost` and others with which the engine has ended
   */
  async simulateDeviceLoss(): Promise<void> {
    await this.#use().restarts.loseDevice();
  }

  /**
   * Ends the workers, frees everything and reports what was still alive. Calls in flight reject with `engine-disposed`, as do
   * later ones; a second `dispose` gives what the first does. The canvas can be given to another engine at once.
   * @throws ThreadError `wait-timed-out` where a worker has not answered for 30 s. It is ended all the same.
   */
  dispose(): Promise<LeakReport> {
    this.#disposal ??= this.#end();
    return this.#disposal;
  }

  /**
   * @internal The first threads did not start, and no others are tried. Ignored where others take over: they have ended the
   * first ones, so that those can't start any more.
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
    // Threads that have failed, or that others take over from, take no commands any more.
    const canTell = isConnected && !this.#producer.held;
    try {
      const { world } = this.#producer;
      world.dispose();
      if (canTell) {
        world.sendUpdates();
        connection.writer.publish();
      }
      this.#fail(disposedError());
      // Threads that have not started yet have made nothing.
      if (!isConnected || !connection.capabilities) return { leaks: [] };
      const report = await connection.control.shutDown();
      // Threads that were not told to let go of the scene still hold all of it, and none of that is a leak.
      return canTell ? report : { leaks: [] };
    } finally {
      connection.end();
      this.#host.surface.dispose();
      this.#threads.end();
    }
  }

  /** The next frame is drawn when the task and those before it have ended; an error is reported. */
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
   * @param call that waits for the render thread
   * @throws StateError `engine-disposed`; ThreadError `blocked-on-render-thread`
   */
  #use(call?: string): EngineServices {
    if (call) this.#checkWait(call);
    else this.#check();
    return this.#services;
  }

  /** For calls that wait for the render thread. @throws ThreadError `blocked-on-render-thread` */
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

  /** A thread has failed, or lost its device: nothing is produced until others have taken over, or the engine fails. */
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
      if (!this.#scheduler.isRunning) this.#scheduler.redraw();
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
        // Without a size there is no picture; `#surfaceResized` asks again.
        this.#isReadyAnnounced = width > 0 && height > 0;
        if (this.#isReadyAnnounced) this.emit('ready', { frame: this.#producer.frame });
      },
      () => {}, // Disposed or failed before the first picture; a failure has its own event.
    );
  }
}

const numberOf = (frame: number): number => frame;
