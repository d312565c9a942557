import type { AssetClient } from '../assets/loading/asset-client.js';
import { type FencepostError, OptionError } from '../core/errors.js';
import { lazily } from '../core/lazily.js';
import type { Actor } from '../game/components/actor.js';
import type { LoadEnvironment, LoadScene } from '../game/loading/load-queue.js';
import type { DecodeTexture } from '../game/updates/write-record.js';
import type { View } from '../game/world/view.js';
import type { World, WorldServices } from '../game/world/world.js';
import { RenderFrameFlag } from '../proxy/commands.js';
import type { CapturedFrame } from '../proxy/unpack-capture.js';
import type { RenderWork, RenderWorkHost } from '../render-modules/page/render-work.js';
import { systemClock } from '../sync/deadline.js';
import type { TaskSystem } from '../tasks/system/task-system.js';
import { connectAssets } from '../threads/assets/asset-connection.js';
import { connectBy } from '../threads/connections/connect-by.js';
import type { RenderConnection } from '../threads/connections/connection.js';
import { memoryStats } from '../threads/control/frame-stats.js';
import { Captures } from './captures/capture.js';
import { captureTexture } from './captures/capture-texture.js';
import type { EngineHost } from './engine-host.js';
import type { PageFences } from './fences/page-fences.js';
import { type FlushOptions, flushDegree } from './frames/flush-degree.js';
import { FramePrerequisites } from './frames/frame-prerequisites.js';
import { ThreadCalls } from './frames/thread-calls.js';
import type { FrameGraphView } from './graph-view/frame-graph-view.js';
import { RenderHelpers } from './helper-threads/render-helpers.js';
import { Picks } from './pointer/picks.js';
import { PointerEvents } from './pointer/pointer-events.js';
import { type RestartHost, Restarts } from './recovery/restart.js';
import { AttachedElements } from './surfaces/attached-elements.js';
import { ViewCanvases } from './surfaces/view-canvases.js';
import { type OpenedTasks, openEngineTasks } from './tasks/open-engine-tasks.js';
import type { Timeline } from './timeline/timeline.js';
import { ViewCounts } from './timeline/view-stats.js';
import { Worlds } from './worlds.js';

interface EngineParts
  extends Omit<RenderWorkHost, 'calls' | 'roles' | 'clock'>,
    Pick<RestartHost, 'settings' | 'events' | 'threads' | 'emit' | 'fail'> {
  readonly host: EngineHost;
  readonly services: WorldServices;
}

/**
 * The services of an engine besides its frames. Each is created with the first call that needs it; `tools.js` is a file of its
 * own, because most pages do without.
 *
 *   Engine ─ frames
 *      └───► EngineServices ─ captures │ assets │ picks │ pointer │ views │ worlds │ restarts │ tasks
 *                 └╌╌► tools.js  timeline │ frame graph │ fences │ render modules
 */
export class EngineServices {
  readonly captures: Captures;
  readonly calls: ThreadCalls;
  readonly prerequisites: FramePrerequisites;
  readonly #engine: EngineParts;
  #assets: ReturnType<typeof connectAssets> | null = null;
  #work: RenderWork | null = null;
  #isWorkAsked = false;
  #fences: PageFences | null = null;
  #timeline: Timeline | null = null;
  #restarts: Restarts | null = null;
  #picks: Picks | null = null;
  #tasks: OpenedTasks | null = null;
  #pointer: PointerEvents | null = null;
  #canvases: ViewCanvases | null = null;
  #worlds: Worlds | null = null;
  #elements: AttachedElements | null = null;
  #helpers: Promise<void> | null = null;
  #startedHelpers: RenderHelpers | null = null;
  /** By view: resolves once the thread that draws has taken the view's canvas. */
  readonly #canvasesTaken = new WeakMap<View, Promise<void>>();
  /** Counts per view; null until there is a view besides the active camera's. */
  views: ViewCounts | null = null;

  constructor(engine: EngineParts) {
    this.#engine = engine;
    this.captures = new Captures(engine.scheduler, engine.producer, engine.host.surface, engine.pipeline);
    this.calls = new ThreadCalls(engine.pipeline, engine.producer);
    const { disposed } = engine.world;
    this.prerequisites = new FramePrerequisites({ ...engine, disposed, clock: systemClock });
  }

  get worlds(): Worlds {
    this.#worlds ??= new Worlds({ ...this.#engine, onCreate: (world) => this.#elements?.watch(world) });
    return this.#worlds;
  }

  /** The canvas shows the world from the next frame on. Returns false where it is none of the engine's. */
  shows(world: World): boolean {
    return this.#worlds?.show(world) ?? false;
  }

  readonly #shownWorld = (): World => this.#worlds?.shown ?? this.#engine.world;

  captureFrame(view?: View): Promise<CapturedFrame> {
    if (view) return this.#captureView(view);
    const { frame } = this.#engine.producer;
    return this.captures.capture(frame, RenderFrameFlag.step | RenderFrameFlag.capture);
  }

  /** Captures the texture, the canvas or the part of the canvas that a view draws to. */
  async #captureView(view: View): Promise<CapturedFrame> {
    this.#checkView(view);
    await this.#canvasesTaken.get(view)?.catch(() => {});
    this.#checkView(view);
    const { target, rect, surface } = view;
    try {
      if (target) return await captureTexture(view, { ...this.#engine, captures: this.captures });
      return await (surface
        ? this.canvases.capture(view)
        : this.canvases.part(await this.captureFrame(), rect));
    } catch (error) {
      // For a view that was disposed of meanwhile, that is the reason, whatever failed by it.
      this.#checkView(view);
      throw error;
    }
  }

  #checkView(view: View): void {
    if (this.#engine.world.updates.views?.views.has(view)) return;
    throw new OptionError(
      'option-invalid',
      'captureFrame takes a view of this engine that was not disposed of: engine.addView().',
    );
  }

  /** Resolves when the next frame can draw the view; null where it can now. */
  addView(view: View): Promise<void> | null {
    const { pipeline, world, reportError } = this.#engine;
    this.views ??= new ViewCounts(pipeline, world, reportError);
    if (!view.surface) return null;
    const taken = this.canvases.add(view);
    this.#canvasesTaken.set(view, taken);
    return taken;
  }

  /** Sizes of the canvases of views are sent anew where they have changed. */
  followCanvases(): void {
    this.#canvases?.follow();
  }

  get canvases(): ViewCanvases {
    this.#canvases ??= new ViewCanvases({
      ...this.#engine,
      surface: this.#engine.host.surface,
      captures: this.captures,
      pointer: () => this.#pointer,
      isDisposed: this.#isDisposed,
    });
    return this.#canvases;
  }

  readonly load: LoadScene = (source, request) => this.#client().load(source, request);

  readonly loadEnvironment: LoadEnvironment = (source, request) =>
    this.#client().loadEnvironment(source, request);

  readonly decodeTexture: DecodeTexture = (...file) => this.#client().decodeTexture(...file);

  /** The asset worker starts with the first load. */
  #client(): AssetClient {
    const { host, pipeline } = this.#engine;
    const deviceFeatures = (): readonly string[] =>
      pipeline.connection.capabilities?.features ?? host.features;
    this.#assets ??= connectAssets(pipeline.options, host.events.ring, deviceFeatures);
    if (this.#isDisposed()) this.endLoads();
    return this.#assets.client;
  }

  /** There will be no more frames. */
  fail(error: FencepostError): void {
    this.captures.fail(error);
    this.#startedHelpers?.dispose();
    // A disposed engine's task system ends as a whole.
    if (!this.#isDisposed()) this.#tasks?.threads.end();
  }

  /** With the engine. */
  endLoads(): void {
    this.#assets?.client.dispose();
    void this.#tasks?.system.dispose();
    this.#pointer?.dispose();
    this.#canvases?.dispose();
    this.#startedHelpers?.dispose();
  }

  get restarts(): Restarts {
    const { host } = this.#engine;
    this.#restarts ??= new Restarts({
      ...this.#engine,
      surface: host.surface,
      connect: host.connectTo ?? connectBy,
      captures: this.captures,
      emit: (type, detail) => {
        if (type === 'surfacechange') this.#pointer?.listenTo(host.surface.canvas);
        this.#engine.emit(type, detail);
      },
      moveWork: async (next) => {
        // First: modules open them as they are loaded.
        await this.#fences?.moveTo(next).catch(this.#engine.reportError);
        await this.#work?.moveTo(next);
        // Frames go on without them.
        void this.#startedHelpers?.moveTo(next).catch(this.#engine.reportError);
        await this.#tasks?.threads.moveTo(next).catch(this.#engine.reportError);
      },
      resendWorlds: (unsent) => this.#worlds?.resend(unsent),
      isDisposed: this.#isDisposed,
      recordFlightBy: (recordFlight) => {
        host.recordFlight = recordFlight;
      },
    });
    return this.#restarts;
  }

  readonly timeline = lazily('tools', async (): Promise<Timeline> => {
    const { Timeline } = await import('./engine-tools.js');
    const { host, pipeline } = this.#engine;
    this.#timeline = new Timeline({
      rings: () => ({
        assets: this.#assets?.tasks,
        ...this.#startedHelpers?.rings,
        ...this.#tasks?.rings.workers,
        ...this.#tasks?.rings.runnables,
        main: host.events.ring,
      }),
      control: () => pipeline.connection.control,
      disposed: this.#engine.world.disposed,
      frameSync: () => pipeline.options.frameSync,
      fences: () => this.#fences,
      taskOf: (task) => this.#tasks?.rings.nameOf(task) ?? null,
      memory: () => {
        const { stats, writer } = pipeline.connection;
        return memoryStats(stats, writer.pageBytes, this.#engine.producer.world.retainedBytes);
      },
    });
    return this.#timeline;
  });

  readonly graphView = lazily('tools', async (): Promise<FrameGraphView> => {
    const { FrameGraphView } = await import('./engine-tools.js');
    return new FrameGraphView(() => this.calls.describeGraph(), this.#engine.world.disposed);
  });

  readonly work = lazily('tools', async (): Promise<RenderWork> => {
    this.#isWorkAsked = true;
    const { RenderWork } = await import('./engine-tools.js');
    const { roles } = this.#engine.host.events;
    this.#work = new RenderWork({ ...this.#engine, calls: this.calls, roles });
    return this.#work;
  });

  readonly fences = lazily('tools', async (): Promise<PageFences> => {
    const { PageFences } = await import('./engine-tools.js');
    this.#fences = new PageFences({ ...this.#engine, calls: this.calls });
    this.#timeline?.followFences();
    return this.#fences;
  });

  get picks(): Picks {
    this.#picks ??= new Picks(this.#shownWorld, this.captures, this.#engine.settings);
    return this.#picks;
  }

  get elements(): AttachedElements {
    if (!this.#elements) {
      const { world, host, pipeline, producer, reportError } = this.#engine;
      const elements = new AttachedElements({
        world: this.#shownWorld,
        canvas: () => host.surface.canvas,
        completed: pipeline.completed,
        isOurs: ({ updates }) => updates?.resources === world.updates.resources,
        reportError,
      });
      this.#elements = elements;
      producer.onPublished = elements.place;
      for (const each of this.#worlds?.all ?? [world]) elements.watch(each);
    }
    return this.#elements;
  }

  /** The actor hears of the pointer from now on. */
  watchPointer(actor: Actor): void {
    if (!this.#pointer) {
      const { host, reportError } = this.#engine;
      this.#pointer = new PointerEvents(host.surface.canvas, this.picks, reportError);
      this.#canvases?.hearPointer(this.#pointer);
      if (this.#isDisposed()) this.#pointer.dispose();
    }
    this.#pointer.watch(actor);
  }

  /** Starts the helpers of the render thread's loops, behind the first frame. */
  startHelpers(): void {
    this.#helpers ??= this.#startHelpers();
  }

  async #startHelpers(): Promise<void> {
    const { pipeline, reportError } = this.#engine;
    try {
      await pipeline.completed.whenReached(1);
      if (this.#isDisposed()) return;
      this.#startedHelpers = new RenderHelpers(() => pipeline.options, reportError);
      await this.#startedHelpers.moveTo(pipeline.connection);
    } catch (error) {
      reportError(error);
    }
  }

  /** The task system, made by the first call. */
  openTasks(): TaskSystem {
    if (this.#tasks) return this.#tasks.system;
    const { host, pipeline, producer, reportError } = this.#engine;
    const others = (): string[] => [
      ...(this.#assets ? ['assets'] : []),
      ...Object.keys(this.#startedHelpers?.rings ?? {}),
    ];
    const connection = (): RenderConnection => pipeline.connection;
    const { ring } = host.events;
    const opened = openEngineTasks(pipeline.options, connection, others, reportError, ring);
    this.#tasks = opened;
    producer.onFrameEnd = () => opened.system.runPending();
    // An engine that has failed has no threads left to attach.
    if (pipeline.completed.error) opened.threads.end();
    return opened.system;
  }

  /** `null` until a task was asked for. */
  get openedTasks(): TaskSystem | null {
    return this.#tasks?.system ?? null;
  }

  /** @throws OptionError `option-unknown`, `option-invalid` */
  async flush(options: FlushOptions): Promise<void> {
    const { isExecuted, isCompleted, isReleased } = flushDegree(options);
    await this.prerequisites.settle();
    // Modules whose code is on its way; whoever asked for them is told where it can't be had.
    if (this.#isWorkAsked) await (await this.work().catch(() => null))?.settle();
    const { pipeline, producer } = this.#engine;
    const { frame } = producer;
    await pipeline.rendered.whenReached(frame);
    if (isExecuted) await pipeline.submitted.whenReached(frame);
    if (isCompleted) await pipeline.completed.whenReached(frame);
    if (isReleased) await this.calls.purge();
  }

  readonly #isDisposed = (): boolean => this.#engine.world.disposed.aborted;
}
