import type { AssetClient } from '../../assets/asset-client.js';
import { type FencepostError, OptionError } from '../../core/errors.js';
import { lazily } from '../../core/lazily.js';
import type { Actor } from '../../game/actor.js';
import type { LoadEnvironment, LoadScene } from '../../game/load-queue.js';
import type { View } from '../../game/view.js';
import type { World, WorldServices } from '../../game/world.js';
import type { DecodeTexture } from '../../game/write-record.js';
import { RenderFrameFlag } from '../../proxy/commands.js';
import type { TaskSystem } from '../../tasks/task-system.js';
import { memoryStats } from '../control/frame-stats.js';
import type { PageFences } from '../fences/page-fences.js';
import type { RenderWork, RenderWorkHost } from '../modules/render-work.js';
import { connectAssets } from './asset-connection.js';
import type { AttachedElements } from './attached-elements.js';
import { Captures } from './capture.js';
import { connectBy } from './connect-by.js';
import type { CrowdHelpers } from './crowd-helpers.js';
import type { EngineParts } from './engine.js';
import { type FlushOptions, flushDegree } from './flush-degree.js';
import type { FramePrerequisite, PrerequisiteOptions } from './frame-prerequisites.js';
import type { OpenedTasks } from './open-engine-tasks.js';
import type { PointerEvents } from './pointer-events.js';
import type { RestartHost } from './restart.js';
import type { Failure } from './restart-policy.js';
import { ThreadCalls } from './thread-calls.js';
import type { Timeline } from './timeline.js';
import type { CapturedFrame } from './unpack-capture.js';
import type { ViewCanvases } from './view-canvases.js';
import type { ViewCounts } from './view-stats.js';
import type { Worlds } from './worlds.js';

/**
 * What an engine does besides its frames, wired up. It is fetched with the first of it, so that a page which only
 * draws carries none; what is large of it is fetched apart, when that is needed.
 *
 *   Engine ─ frames
 *      └╌╌ first call ╌╌► LazyParts ─ captures, calls to threads, the asset worker's end
 *                             └╌╌╌╌► restarts │ timeline │ render modules │ fences
 */
export interface LazyPartsHost
  extends Omit<RenderWorkHost, 'calls' | 'roles' | 'clock'>,
    Pick<RestartHost, 'settings' | 'events' | 'threads' | 'emit' | 'fail'> {
  readonly given: EngineParts;
  readonly services: WorldServices;
}

export class LazyParts {
  readonly captures: Captures;
  readonly calls: ThreadCalls;
  readonly #host: LazyPartsHost;
  /** Views that are on their way, or there. */
  readonly #added = new WeakMap<View, Promise<void>>();
  #assets: ReturnType<typeof connectAssets> | null = null;
  #work: RenderWork | null = null;
  #isWorkAsked = false;
  #fences: PageFences | null = null;
  #timeline: Timeline | null = null;
  #tasks: OpenedTasks | null = null;
  #pointer: PointerEvents | null = null;
  /** Counts; null until there is a view besides the active camera's. */
  views: ViewCounts | null = null;
  /** Of views; null until there is one. */
  canvases: ViewCanvases | null = null;
  #crowds: CrowdHelpers | null = null;
  /** Null until there is a second. */
  #worlds: Worlds | null = null;
  #elements: AttachedElements | null = null;

  constructor(host: LazyPartsHost) {
    this.#host = host;
    this.captures = new Captures(host.loop, host.producer, host.given.surface, host.pipeline);
    this.calls = new ThreadCalls(host.pipeline, host.producer);
  }

  readonly worlds = lazily('worlds', async () => {
    const { Worlds } = await import('./worlds.js');
    this.#worlds = new Worlds({ ...this.#host, onCreate: (world) => this.#elements?.watch(world) });
    return this.#worlds;
  });

  /** The canvas shows the world from the next frame on. @returns false where it is none of the engine's */
  shows(world: World): boolean {
    return this.#worlds?.show(world) ?? false;
  }

  readonly #shownWorld = (): World => this.#worlds?.shown ?? this.#host.world;

  async captureFrame(view?: View): Promise<CapturedFrame> {
    if (view) return this.#captureView(view);
    const { frame } = this.#host.producer;
    return this.captures.capture(frame, RenderFrameFlag.step | RenderFrameFlag.capture);
  }

  /** What the texture or the canvas of a view shows. */
  async #captureView(view: View): Promise<CapturedFrame> {
    this.#checkView(view);
    await this.#added.get(view)?.catch(() => {});
    const { target, rect, surface } = view;
    try {
      if (target) {
        const { captureTexture } = await import('./capture-texture.js');
        this.#checkView(view);
        return await captureTexture(view, { ...this.#host, captures: this.captures });
      }
      const canvases = await this.viewCanvases();
      this.#checkView(view);
      return await (surface ? canvases.capture(view) : canvases.part(await this.captureFrame(), rect));
    } catch (error) {
      // Of a view that was disposed of meanwhile, that is the reason, whatever failed by it.
      this.#checkView(view);
      throw error;
    }
  }

  #checkView(view: View): void {
    if (this.#host.world.updates.views?.views.has(view)) return;
    throw new OptionError(
      'option-invalid',
      'captureFrame takes a view of this engine that was not disposed of: engine.addView().',
    );
  }

  addView(view: View): Promise<void> {
    const added = this.#addView(view);
    this.#added.set(view, added);
    return added;
  }

  async #addView(view: View): Promise<void> {
    const { pipeline, world } = this.#host;
    const { ViewCounts } = await import('./view-stats.js');
    this.views ??= new ViewCounts(pipeline, world);
    if (view.surface) await (await this.viewCanvases()).add(view);
  }

  readonly viewCanvases = lazily('view-canvases', async () => {
    const { ViewCanvases } = await import('./view-canvases.js');
    this.canvases = new ViewCanvases({
      ...this.#host,
      captures: this.captures,
      pointer: () => this.#pointer,
      isDisposed: this.#isDisposed,
    });
    return this.canvases;
  });

  /** Through the asset worker's client, which starts the worker. */
  readonly load: LoadScene = (source, request) => this.#client().load(source, request);

  readonly loadEnvironment: LoadEnvironment = (source, request) =>
    this.#client().loadEnvironment(source, request);

  readonly decodeTexture: DecodeTexture = (...file) => this.#client().decodeTexture(...file);

  #client(): AssetClient {
    const { given, pipeline } = this.#host;
    const deviceFeatures = (): readonly string[] => pipeline.connection.capabilities.features;
    this.#assets ??= connectAssets(pipeline.options, given.events.ring, deviceFeatures);
    if (this.#isDisposed()) this.endLoads();
    return this.#assets.client;
  }

  /** There will be no more frames. */
  fail(error: FencepostError): void {
    this.captures.fail(error);
    // A disposed engine's task system ends as a whole.
    if (!this.#isDisposed()) this.#tasks?.threads.end();
  }

  /** With the engine. */
  endLoads(): void {
    this.#assets?.client.dispose();
    void this.#tasks?.system.dispose();
    this.#pointer?.dispose();
    this.canvases?.dispose();
    this.#crowds?.dispose();
  }

  readonly restarts = lazily('restart', async () => {
    const { Restarts } = await import('./restart.js');
    const { given } = this.#host;
    return new Restarts({
      ...this.#host,
      surface: given.surface,
      connect: given.connectTo ?? ((mode) => connectBy(mode, null)),
      captures: this.captures,
      emit: (type, detail) => {
        if (type === 'surfacechange') this.#pointer?.listenTo(given.surface.canvas);
        this.#host.emit(type, detail);
      },
      moveWork: async (next) => {
        // First: modules open them as they are loaded.
        await this.#fences?.moveTo(next).catch(this.#host.reportError);
        await this.#work?.moveTo(next);
        // Frames go on without them.
        void this.#crowds?.moveTo(next).catch(this.#host.reportError);
        await this.#tasks?.threads.moveTo(next).catch(this.#host.reportError);
      },
      resendWorlds: (unsent) => this.#worlds?.resend(unsent),
      isDisposed: this.#isDisposed,
      recordFlightBy: (recordFlight) => {
        given.recordFlight = recordFlight;
      },
    });
  });

  async recover(failure: Failure): Promise<void> {
    (await this.restarts()).recover(failure);
  }

  readonly timeline = lazily('timeline', async () => {
    const { Timeline } = await import('./timeline.js');
    const { given, pipeline } = this.#host;
    this.#timeline = new Timeline({
      rings: () => ({
        assets: this.#assets?.tasks,
        ...this.#crowds?.rings,
        ...this.#tasks?.rings.workers,
        main: given.events.ring,
      }),
      control: () => pipeline.connection.control(),
      disposed: this.#host.world.disposed,
      frameSync: () => pipeline.options.frameSync,
      fences: () => this.#fences,
      taskOf: (task) => this.#tasks?.rings.nameOf(task) ?? null,
      memory: () => {
        const { stats, writer } = pipeline.connection;
        return memoryStats(stats, writer.pageBytes, this.#host.producer.world.retainedBytes);
      },
    });
    return this.#timeline;
  });

  readonly graphView = lazily('graph-view', async () => {
    const { FrameGraphView } = await import('./frame-graph-view.js');
    return new FrameGraphView(() => this.calls.describeGraph(), this.#host.world.disposed);
  });

  async toggleTimeline(): Promise<void> {
    await (await this.timeline()).toggle();
  }

  readonly work = lazily('render-work', async () => {
    this.#isWorkAsked = true;
    const { RenderWork } = await import('../modules/render-work.js');
    this.#work = new RenderWork({ ...this.#host, calls: this.calls });
    return this.#work;
  });

  async addPrerequisite(task: FramePrerequisite, options: PrerequisiteOptions): Promise<void> {
    await (await this.work()).prerequisites.add(task, options);
  }

  readonly fences = lazily('page-fences', async () => {
    const { PageFences } = await import('../fences/page-fences.js');
    this.#fences = new PageFences({ ...this.#host, calls: this.calls });
    this.#timeline?.followFences();
    return this.#fences;
  });

  readonly picks = lazily('picks', async () => {
    const { Picks } = await import('./picks.js');
    return new Picks(this.#shownWorld, this.captures, this.#host.settings);
  });

  async attach(...of: Parameters<AttachedElements['attach']>): Promise<void> {
    (await this.elements()).attach(...of);
  }

  readonly elements = lazily('attached-elements', async () => {
    const { AttachedElements } = await import('./attached-elements.js');
    const { world, given, pipeline, producer, reportError } = this.#host;
    this.#elements = new AttachedElements({
      world: this.#shownWorld,
      canvas: () => given.surface.canvas,
      completed: pipeline.completed,
      isOurs: ({ updates }) => updates?.resources === world.updates.resources,
      reportError,
    });
    producer.onPublished = this.#elements.place;
    for (const each of this.#worlds?.all ?? [world]) this.#elements.watch(each);
    return this.#elements;
  });

  /** The actor listens to the pointer, which it hears of from when this resolves on. */
  async pointer(actor: Actor): Promise<void> {
    (await this.pointerEvents()).watch(actor);
  }

  readonly pointerEvents = lazily('pointer-events', async () => {
    const { PointerEvents } = await import('./pointer-events.js');
    const { given, reportError } = this.#host;
    this.#pointer = new PointerEvents(given.surface.canvas, await this.picks(), reportError);
    this.canvases?.hearPointer(this.#pointer);
    if (this.#isDisposed()) this.#pointer.dispose();
    return this.#pointer;
  });

  /** There are thousands of primitives. Nothing of it is needed before the first frame is there. */
  readonly crowds = lazily('crowd-helpers', async () => {
    const { pipeline, reportError } = this.#host;
    const { CrowdHelpers } = await import('./crowd-helpers.js');
    await pipeline.completed.whenReached(1);
    if (this.#isDisposed()) return;
    this.#crowds = new CrowdHelpers(() => pipeline.options, reportError);
    await this.#crowds.moveTo(pipeline.connection);
  });

  /** Null until it was loaded. */
  get taskSystem(): TaskSystem | null {
    return this.#tasks?.system ?? null;
  }

  readonly tasks = lazily('engine-tasks', async () => {
    const { openEngineTasks } = await import('./open-engine-tasks.js');
    const { given, pipeline, producer, reportError } = this.#host;
    const others = (): string[] => [
      ...(this.#assets ? ['assets'] : []),
      ...Object.keys(this.#crowds?.rings ?? {}),
    ];
    this.#tasks = openEngineTasks(
      pipeline.options,
      () => pipeline.connection,
      others,
      reportError,
      given.events.ring,
    );
    const { system } = this.#tasks;
    producer.onFrameEnd = () => system.runPending();
    if (this.#isDisposed()) await system.dispose();
    else if (pipeline.completed.error) this.#tasks.threads.end();
    return system;
  });

  /** @throws OptionError `option-unknown`, `option-invalid` */
  async flush(options: FlushOptions): Promise<void> {
    const { isExecuted, isCompleted, isReleased } = flushDegree(options);
    // What is under way may still be waiting for its code; where that can't be had, whoever asked is told.
    if (this.#isWorkAsked) await (await this.work().catch(() => null))?.settle();
    const { pipeline, producer } = this.#host;
    const { frame } = producer;
    await pipeline.rendered.whenReached(frame);
    if (isExecuted) await pipeline.submitted.whenReached(frame);
    if (isCompleted) await pipeline.completed.whenReached(frame);
    if (isReleased) await this.calls.purge();
  }

  readonly #isDisposed = (): boolean => this.#host.world.disposed.aborted;
}
