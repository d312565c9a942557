import type { AssetClient } from '../assets/loading/asset-client.js';
import type { FencepostError } from '../core/errors.js';
import { EVENT_RING_BYTES } from '../core/events/event-ring.js';
import { lazily } from '../core/lazily.js';
import type { Actor } from '../game/components/actor.js';
import type { LoadEnvironment, LoadScene } from '../game/loading/load-queue.js';
import type { DecodeTexture } from '../game/updates/write-record.js';
import type { View } from '../game/world/view.js';
import type { World, WorldServices } from '../game/world/world.js';
import type { RenderWork, RenderWorkHost } from '../render-modules/page/render-work.js';
import { usableFeatures } from '../rhi/commands/capabilities.js';
import type { LeakReport } from '../rhi/execute/executor.js';
import { systemClock } from '../sync/deadline.js';
import type { TaskSystem } from '../tasks/system/task-system.js';
import { fencesNotConnected } from '../tasks/task-errors.js';
import { connectAssets } from '../threads/assets/asset-connection.js';
import { connectBy } from '../threads/connections/connect-by.js';
import type { RenderConnection } from '../threads/connections/connection.js';
import { MemoryMeter, type MemoryStats } from '../threads/control/memory-stats.js';
import { Captures } from './captures/capture.js';
import type { EngineHost } from './engine-host.js';
import { checkFencesOptions, type EngineFences, type EngineFencesOptions } from './fences/engine-fences.js';
import type { PageFences } from './fences/page-fences.js';
import { FrameCaptures } from './frame-captures.js';
import { type FlushOptions, flushDegree } from './frames/flush-degree.js';
import { FramePrerequisites } from './frames/frame-prerequisites.js';
import { ThreadCalls } from './frames/thread-calls.js';
import type { FrameGraphView } from './graph-view/frame-graph-view.js';
import { RenderHelpers } from './helper-threads/render-helpers.js';
import { Picks } from './pointer/picks.js';
import { PointerEvents } from './pointer/pointer-events.js';
import { watchGpu } from './recovery/gpu-watch.js';
import { type RestartHost, Restarts } from './recovery/restart.js';
import { AttachedElements } from './surfaces/attached-elements.js';
import { ViewCanvases } from './surfaces/view-canvases.js';
import { DecodingSessions } from './tasks/decoding-sessions.js';
import { type OpenedTasks, openEngineTasks, poolSizes } from './tasks/open-engine-tasks.js';
import type { Timeline, TimelineHost } from './timeline/timeline.js';
import { ViewCounts } from './timeline/view-stats.js';
import { Worlds } from './worlds.js';

/** Number of the pipeline's workers, by mode. Each worker has its own event ring. */
const WORKERS = { single: 0, render: 1, 'render+rhi': 2 } as const;

/** The engine's objects that its services work with. */
interface EngineParts
  extends Omit<RenderWorkHost, 'calls' | 'roles' | 'clock'>,
    Pick<RestartHost, 'settings' | 'events' | 'threads' | 'emit' | 'fail'> {
  readonly host: EngineHost;
  /** Services that each world of the engine gets. */
  readonly worldServices: WorldServices;
  readonly timelineHost: Pick<TimelineHost, 'scopeOf' | 'settings'>;
}

/**
 * The services of an engine besides its frames. Most services are created by the first call that needs them.
 * `tools.js` is a file of its own, because most pages never load it.
 *
 *   Engine ─ frames
 *      └───► EngineServices ─ captures │ assets │ picks │ pointer │ views │ worlds │ restarts │ tasks
 *                 └╌╌► tools.js  timeline │ frame graph │ fences │ render modules
 */
export class EngineServices {
  readonly captures: Captures;
  readonly calls: ThreadCalls;
  readonly prerequisites: FramePrerequisites;
  readonly #parts: EngineParts;
  readonly #oneWorld: readonly World[];
  #assets: ReturnType<typeof connectAssets> | null = null;
  #work: RenderWork | null = null;
  #isWorkRequested = false;
  #fences: PageFences | null = null;
  #fencesOptions: EngineFencesOptions | null = null;
  #timeline: Timeline | null = null;
  #restarts: Restarts | null = null;
  #picks: Picks | null = null;
  #tasks: OpenedTasks | null = null;
  #pointer: PointerEvents | null = null;
  #canvases: ViewCanvases | null = null;
  #frameCaptures: FrameCaptures | null = null;
  #worlds: Worlds | null = null;
  #elements: AttachedElements | null = null;
  #helpers: Promise<void> | null = null;
  #startedHelpers: RenderHelpers | null = null;
  readonly #memory = new MemoryMeter();
  readonly #endGpuWatch: () => void;
  /** Promises by view that resolve once the drawing thread has taken the view's canvas. */
  readonly #canvasesTaken = new WeakMap<View, Promise<void>>();
  /** Counts per view; null until the first `addView`. */
  views: ViewCounts | null = null;

  constructor(parts: EngineParts) {
    const { pipeline, producer, scheduler, host, world } = parts;
    this.#parts = parts;
    this.#oneWorld = [world];
    this.captures = new Captures(scheduler, producer, host.surface, pipeline);
    this.calls = new ThreadCalls(pipeline, producer);
    this.prerequisites = new FramePrerequisites({ ...parts, disposed: world.disposed, clock: systemClock });
    this.#endGpuWatch = watchGpu({
      pipeline,
      seconds: pipeline.options.gpuReportSeconds,
      onSilent: parts.reportError,
      isVisible: () => !globalThis.document?.hidden,
    });
  }

  /** Returns the bytes of all threads, by purpose. */
  memory(): MemoryStats {
    const { pipeline, producer, host } = this.#parts;
    const { stats, writer } = pipeline.connection;
    const { workers, runnables } = this.#tasks?.rings ?? {};
    const rings = { main: host.events.ring, assets: this.#assets?.tasks, ...workers, ...runnables };
    let eventRings = WORKERS[pipeline.options.threading] * EVENT_RING_BYTES;
    for (const ring of Object.values(rings)) eventRings += ring?.buffer.byteLength ?? 0;
    return this.#memory.measure(stats, {
      streams: writer.pageBytes,
      sceneArrays: producer.world.arrayBytes,
      loops: this.#startedHelpers?.byteLength ?? 0,
      tasks: this.#tasks?.system.allocatedBytes ?? 0,
      fences: this.#fences?.byteLength ?? 0,
      eventRings,
      retained: producer.world.retainedBytes,
    });
  }

  get worlds(): Worlds {
    this.#worlds ??= new Worlds({ ...this.#parts, onCreate: (world) => this.#elements?.watch(world) });
    return this.#worlds;
  }

  /** All worlds of the engine. */
  get allWorlds(): readonly World[] {
    return this.#worlds?.all ?? this.#oneWorld;
  }

  /** Shows the world on the canvas from the next frame on. @returns false if it is no living world of the engine */
  show(world: World): boolean {
    return this.#worlds?.show(world) ?? false;
  }

  readonly #shownWorld = (): World => this.#worlds?.shown ?? this.#parts.world;

  /** Dispatches `captureFrame` of the engine and of its views. */
  get frameCaptures(): FrameCaptures {
    this.#frameCaptures ??= new FrameCaptures({
      ...this.#parts,
      captures: this.captures,
      surface: this.#parts.host.surface,
      canvases: () => this.canvases,
      canvasTaken: (view) => this.#canvasesTaken.get(view),
    });
    return this.#frameCaptures;
  }

  /** Adds a view. @returns a promise that resolves when the next frame can draw the view; null if it already can */
  addView(view: View): Promise<void> | null {
    const { pipeline, world, reportError } = this.#parts;
    this.views ??= new ViewCounts(pipeline, world, reportError);
    if (!view.surface) return null;
    const taken = this.canvases.add(view);
    this.#canvasesTaken.set(view, taken);
    return taken;
  }

  /** Sends the changed sizes of the views' canvases. */
  followCanvases(): void {
    this.#canvases?.follow();
  }

  get canvases(): ViewCanvases {
    this.#canvases ??= new ViewCanvases({
      ...this.#parts,
      surface: this.#parts.host.surface,
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

  /** Returns the client of the asset worker. The first load starts the worker. */
  #client(): AssetClient {
    const { host, pipeline } = this.#parts;
    const deviceFeatures = (): readonly string[] => usableFeatures(pipeline.connection.capabilities ?? host);
    const { options } = pipeline;
    this.#assets ??= connectAssets(
      options,
      host.events.ring,
      deviceFeatures,
      new DecodingSessions(() => this.openTasks(), poolSizes(options)),
    );
    if (this.#isDisposed()) this.endLoads();
    return this.#assets.client;
  }

  /** Ends pending captures, helpers and named task threads, because no more frames will be produced. */
  fail(error: FencepostError): void {
    this.#endGpuWatch();
    this.captures.fail(error);
    this.#startedHelpers?.dispose();
    // For a disposed engine, `endLoads` ends the whole task system.
    if (!this.#isDisposed()) this.#tasks?.threads.end();
  }

  /** Ends loads, tasks, pointer listeners, view canvases and helpers. Called at the engine's end and by later loads. */
  endLoads(): void {
    this.#assets?.client.dispose();
    void this.#tasks?.system.dispose();
    this.#pointer?.dispose();
    this.#canvases?.dispose();
    this.#startedHelpers?.dispose();
  }

  /** The leaks of the threads of a failed engine; null unless the engine has failed. */
  get failureReport(): Promise<LeakReport> | null {
    return this.#restarts?.failureReport ?? null;
  }

  get restarts(): Restarts {
    const { host } = this.#parts;
    this.#restarts ??= new Restarts({
      ...this.#parts,
      surface: host.surface,
      connect: host.connectTo ?? connectBy,
      captures: this.captures,
      emit: (type, detail) => {
        if (type === 'surfacechange') this.#pointer?.listenTo(host.surface.canvas);
        this.#parts.emit(type, detail);
      },
      moveWork: async (next) => {
        // Move the fences first, because modules open them while they are loaded.
        await this.#fences?.moveTo(next).catch(this.#parts.reportError);
        await this.#work?.moveTo(next);
        // Frames do not depend on the helpers, so do not wait for them.
        void this.#startedHelpers?.moveTo(next).catch(this.#parts.reportError);
        await this.#tasks?.threads.moveTo(next).catch(this.#parts.reportError);
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
    const { host, pipeline, timelineHost } = this.#parts;
    this.#timeline = new Timeline({
      ...timelineHost,
      rings: () => ({
        assets: this.#assets?.tasks,
        ...this.#tasks?.rings.workers,
        ...this.#tasks?.rings.runnables,
        main: host.events.ring,
      }),
      control: () => pipeline.connection.control,
      disposed: this.#parts.world.disposed,
      frameSync: () => pipeline.options.frameSync,
      fences: () => this.#fences,
      taskOf: (task) => this.#tasks?.rings.nameOf(task) ?? null,
      memory: () => this.memory(),
    });
    return this.#timeline;
  });

  readonly graphView = lazily('tools', async (): Promise<FrameGraphView> => {
    const { FrameGraphView } = await import('./engine-tools.js');
    return new FrameGraphView(() => this.calls.describeGraph(), this.#parts.world.disposed);
  });

  readonly work = lazily('tools', async (): Promise<RenderWork> => {
    this.#isWorkRequested = true;
    const { RenderWork } = await import('./engine-tools.js');
    const { roles } = this.#parts.host.events;
    this.#work = new RenderWork({ ...this.#parts, calls: this.calls, roles });
    return this.#work;
  });

  readonly #createFences = lazily('tools', async (): Promise<PageFences> => {
    const { PageFences } = await import('./engine-tools.js');
    this.#fences = new PageFences({ ...this.#parts, calls: this.calls }, this.#fencesOptions ?? {});
    this.#timeline?.followFences();
    return this.#fences;
  });

  /**
   * Returns the fences once the current threads have joined them. The options of the first call apply.
   * @throws OptionError `option-unknown`, `option-invalid`; StateError `fences-created`
   */
  async fences(options: EngineFencesOptions): Promise<EngineFences> {
    checkFencesOptions(options);
    this.#fencesOptions ??= options;
    const page = await this.#createFences();
    await page.connect(options);
    return page.fences;
  }

  get picks(): Picks {
    this.#picks ??= new Picks(this.#shownWorld, this.captures, this.#parts.settings);
    return this.#picks;
  }

  get elements(): AttachedElements {
    if (!this.#elements) {
      const { world, host, pipeline, producer, reportError } = this.#parts;
      const elements = new AttachedElements({
        world: this.#shownWorld,
        canvas: () => host.surface.canvas,
        completed: pipeline.completed,
        isInEngine: ({ updates }) => updates?.resources === world.updates.resources,
        reportError,
      });
      this.#elements = elements;
      producer.onPublished = elements.place;
      for (const each of this.allWorlds) elements.watch(each);
    }
    return this.#elements;
  }

  /** Sends pointer events to the actor from now on. */
  watchPointer(actor: Actor): void {
    if (!this.#pointer) {
      const { host, reportError } = this.#parts;
      this.#pointer = new PointerEvents(host.surface.canvas, this.picks, reportError);
      this.#canvases?.listenWith(this.#pointer);
      if (this.#isDisposed()) this.#pointer.dispose();
    }
    this.#pointer.watch(actor);
  }

  /** Makes the pool help with the render thread's loops, once the first frame is complete. */
  startHelpers(): void {
    this.#helpers ??= this.#startHelpers();
  }

  async #startHelpers(): Promise<void> {
    const { pipeline, reportError } = this.#parts;
    try {
      await pipeline.completed.whenReached(1);
      if (this.#isDisposed()) return;
      this.#startedHelpers = new RenderHelpers(() => this.openTasks(), pipeline.options.recordingTasks);
      await this.#startedHelpers.moveTo(pipeline.connection);
    } catch (error) {
      reportError(error);
    }
  }

  /** Returns the task system. The first call creates it. */
  openTasks(): TaskSystem {
    if (this.#tasks) return this.#tasks.system;
    const { host, pipeline, producer, reportError } = this.#parts;
    const others = (): string[] => (this.#assets ? ['assets'] : []);
    const connection = (): RenderConnection => pipeline.connection;
    const { ring } = host.events;
    const opened = openEngineTasks(pipeline.options, connection, others, reportError, ring, () => {
      if (!this.#fences) throw fencesNotConnected();
      return this.#fences.inviteWorker();
    });
    this.#tasks = opened;
    producer.onFrameEnd = () => opened.system.runPending();
    // An engine that has failed has no threads left to attach.
    if (pipeline.completed.error) opened.threads.end();
    return opened.system;
  }

  /** The task system; `null` until a task was requested. */
  get openedTasks(): TaskSystem | null {
    return this.#tasks?.system ?? null;
  }

  /** Waits for the stages that `Engine.flush` describes. @throws OptionError `option-unknown`, `option-invalid` */
  async flush(options: FlushOptions): Promise<void> {
    const { isExecuted, isCompleted, isReleased } = flushDegree(options);
    await this.prerequisites.settle();
    // Wait for modules whose code is still loading. A failed load rejects in the call that added the module.
    if (this.#isWorkRequested) await (await this.work().catch(() => null))?.settle();
    const { pipeline, producer } = this.#parts;
    const { frame } = producer;
    await pipeline.rendered.whenReached(frame);
    if (isExecuted) await pipeline.submitted.whenReached(frame);
    if (isCompleted) await pipeline.completed.whenReached(frame);
    if (isReleased) await this.calls.purge();
  }

  readonly #isDisposed = (): boolean => this.#parts.world.disposed.aborted;
}
