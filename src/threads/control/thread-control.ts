import { transfer } from 'comlink';
import type { RingCursors, ThreadEvents } from '../../core/events/event-reader.js';
import { type GraphPicture, withTimes } from '../../graph/description/graph-picture.js';
import type { ModulesConfig } from '../../render-modules/render-module-messages.js';
import type { LeakReport } from '../../rhi/execute/executor.js';
import { type Clock, systemClock, withDeadline } from '../../sync/deadline.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { FencesConfig } from './fence-messages.js';
import type { HelperPool, ShutDownReport, TaskThreadConfig, ThreadApi } from './protocol.js';

export interface ThreadControl {
  /** Executes pending deletes, and releases everything whose last use has completed. */
  purge(): Promise<void>;
  /** Measures GPU times from now on, if the device can. */
  measureGpu(): Promise<void>;
  /** Destroys the device. */
  loseDevice(): Promise<void>;
  /**
   * Returns the events of all threads except the main thread, from the cursors `places` on. Threads that do not answer
   * are omitted.
   */
  readEvents(places: RingCursors): Promise<readonly ThreadEvents[]>;
  /** Returns the frame graph of the last frame, with GPU times if they are measured. */
  describeGraph(): Promise<GraphPicture>;
  /** Makes the render thread write counts per view into shared memory, or post them to the port. */
  followViews(shared: SharedArrayBuffer | null, port: MessagePort | null): Promise<void>;
  /**
   * Passes a canvas to the thread that draws. `null` selects the canvas that the thread received earlier under this
   * number.
   */
  giveSurface(surface: number, canvas: HTMLCanvasElement | OffscreenCanvas | null): Promise<void>;
  dropSurface(surface: number): Promise<void>;
  startCapture(): Promise<void>;
  /** Returns the file; null if no thread has captured. */
  stopCapture(): Promise<ArrayBuffer | null>;
  /** Begins to keep the last frames of render commands and RHI commands. */
  startRecording(framesPerKeyframe: number): Promise<void>;
  writeRecording(): Promise<ArrayBuffer | null>;
  /** Makes the threads join the page's fences. @param join returns the configuration for the named thread */
  connectFences(join: (name: string) => FencesConfig): Promise<void>;
  /**
   * Makes the render thread cull groups of primitives, and share its loops with the helpers.
   * @param helpers null without shared memory or workers
   */
  connectHelpers(helpers: HelperPool | null): Promise<void>;
  /**
   * Makes the other threads accept tasks by their names.
   * @param open returns the configuration for the named thread
   * @returns the names of all threads that accept tasks
   */
  serveTasks(open: (name: AttachedName) => TaskThreadConfig): Promise<readonly AttachedName[]>;
  /** Makes the render thread accept render modules. */
  connectModules(config: ModulesConfig): Promise<void>;
  /** Destroys everything, and returns a report of leaks. */
  shutDown(): Promise<LeakReport>;
}

/** A thread that answers calls: a worker (`worker-peer.ts`), or this thread in `single` mode. */
export interface ThreadPeer {
  /** Name of the thread, for messages. */
  readonly name: string;
  /** Whether the thread has ended. */
  readonly isDead: boolean;
  /**
   * Calls the thread. Settles with the answer, or rejects when the thread ends.
   * @param awaited purpose of the call, for messages
   */
  call<T>(awaited: string, ask: (api: ThreadApi) => Promise<T>): Promise<T>;
  /** Returns the events from the cursors `places` on; null if the thread does not answer. */
  readEvents(places: RingCursors): Promise<ThreadEvents | null>;
  shutDown(isStreamClosed: boolean): Promise<ShutDownReport>;
}

/** Time limit for `dispose()`, in milliseconds. */
const SHUT_DOWN_LIMIT = 30_000;

/**
 * Calls from the main thread to the render and RHI threads, outside of frames, in any mode. Each call is sent to the
 * threads that it concerns, and their answers are merged.
 *
 *   purge, captures, shutDown … ──► PeerControl ─┬─► peer "render" ── comlink, or a direct call ──► ThreadApi
 *                                                └─► peer "RHI"    ── …
 */
export class PeerControl implements ThreadControl {
  /** Peers in the order in which they shut down: the render thread first. */
  readonly #peers: readonly ThreadPeer[];
  readonly #clock: Clock;

  constructor(peers: readonly ThreadPeer[], clock: Clock = systemClock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  async purge(): Promise<void> {
    const [render] = this.#peers as [ThreadPeer];
    const rhiBytes = await render.call('flush()', (api) => api.recordDeletes());
    await this.#rhi.call('flush()', (api) => api.purge(rhiBytes));
  }

  async measureGpu(): Promise<void> {
    await this.#all('GPU times', (api) => api.measureGpu());
  }

  async loseDevice(): Promise<void> {
    await this.#all('simulateDeviceLoss()', (api) => api.loseDevice());
  }

  async readEvents(places: RingCursors): Promise<readonly ThreadEvents[]> {
    const read = await Promise.all(this.#peers.map((peer) => peer.readEvents(places)));
    return read.filter((events) => events !== null);
  }

  async describeGraph(): Promise<GraphPicture> {
    const [render, rhi = render] = this.#peers as [ThreadPeer, ThreadPeer?];
    const picture = await render.call('frameGraph()', (api) => api.describeGraph());
    return withTimes(picture, await rhi.call('frameGraph()', (api) => api.gpuPassTimes()));
  }

  async followViews(shared: SharedArrayBuffer | null, port: MessagePort | null): Promise<void> {
    const [render] = this.#peers as [ThreadPeer];
    await render.call('counts per view', (api) => api.followViews(shared, port && transfer(port, [port])));
  }

  async giveSurface(surface: number, canvas: HTMLCanvasElement | OffscreenCanvas | null): Promise<void> {
    await this.#rhi.call('addView()', (api) =>
      api.giveSurface(surface, isMovable(canvas) ? transfer(canvas, [canvas]) : canvas),
    );
  }

  async dropSurface(surface: number): Promise<void> {
    await this.#rhi.call('dispose() of a view', (api) => api.dropSurface(surface));
  }

  async startCapture(): Promise<void> {
    await this.#all('startCapture()', (api) => api.startCapture());
  }

  async stopCapture(): Promise<ArrayBuffer | null> {
    return firstAnswer(await this.#all('stopCapture()', (api) => api.stopCapture()));
  }

  async startRecording(framesPerKeyframe: number): Promise<void> {
    await this.#all('the flight recorder', (api) => api.startRecording(framesPerKeyframe));
  }

  async writeRecording(): Promise<ArrayBuffer | null> {
    const commands = firstAnswer(await this.#all('the flight recorder', (api) => api.takeRenderCommands()));
    return firstAnswer(await this.#all('the flight recorder', (api) => api.writeRecording(commands)));
  }

  async connectHelpers(helpers: HelperPool | null): Promise<void> {
    const [render] = this.#peers as [ThreadPeer];
    await render.call('helpers of its loops', (api) => api.connectHelpers(helpers));
  }

  async connectFences(join: (name: string) => FencesConfig): Promise<void> {
    const [render, rhi] = this.#peers as [ThreadPeer, ThreadPeer?];
    const link = rhi ? new MessageChannel() : null;
    if (rhi && link) {
      const { port2 } = link;
      await rhi.call('fences()', (api) => api.serveFences(join('the RHI thread'), port2));
    }
    const port = link?.port1 ?? null;
    await render.call('fences()', (api) => api.connectFences(join('the render thread'), port));
  }

  async serveTasks(open: (name: AttachedName) => TaskThreadConfig): Promise<readonly AttachedName[]> {
    const names = (['render', 'rhi'] as const).slice(0, this.#peers.length);
    // In `single` mode there is no other thread.
    if (this.#peers[0] instanceof LocalPeer) return [];
    const served = names.map(async (name, index) => {
      const config = open(name);
      const peer = this.#peers[index] as ThreadPeer;
      await peer.call('tasks for it', (api) => api.serveTasks(transfer(config, [config.port])));
    });
    await Promise.all(served);
    return names;
  }

  async connectModules(config: ModulesConfig): Promise<void> {
    const [render, rhi] = this.#peers as [ThreadPeer, ThreadPeer?];
    const points = rhi ? new MessageChannel() : null;
    if (rhi && points) {
      const { port2 } = points;
      await rhi.call('addRenderModule()', (api) => api.serveRhiPoints(transfer(port2, [port2])));
    }
    const port = points?.port1 ?? null;
    await render.call('addRenderModule()', (api) =>
      api.connectModules(transfer(config, [config.port]), port && transfer(port, [port])),
    );
  }

  /**
   * Shuts down in order, so that the render worker's destroy commands reach the RHI worker before the RHI worker
   * reports leaks. If the RHI worker has died or has lost its device, the render thread's list of leaks is used. A
   * render worker that has died can no longer destroy its resources, so the report only names the worker.
   * @throws ThreadError `wait-timed-out`
   */
  async shutDown(): Promise<LeakReport> {
    const work = async (): Promise<LeakReport> => {
      let executed: ShutDownReport['executed'] = null;
      let recorded: ShutDownReport['recorded'] = null;
      let isStreamClosed = false;
      for (const peer of this.#peers) {
        const report = await peer.shutDown(isStreamClosed);
        isStreamClosed = report.closesStream;
        executed ??= report.executed;
        recorded ??= report.recorded;
      }
      const dead = this.#peers.filter((peer) => peer.isDead).map(({ name }) => name);
      const leaks = recorded === null ? [] : (executed ?? recorded);
      return dead.length > 0 ? { leaks, unreported: dead } : { leaks };
    };
    return withDeadline(work(), {
      milliseconds: SHUT_DOWN_LIMIT,
      waiter: 'dispose()',
      awaited: 'the leak reports of the workers, which were then ended',
      clock: this.#clock,
    });
  }

  get #rhi(): ThreadPeer {
    return this.#peers.at(-1) as ThreadPeer;
  }

  #all<T>(awaited: string, ask: (api: ThreadApi) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#peers.map((peer) => peer.call(awaited, ask)));
  }
}

/** Returns whether a canvas can be transferred. Canvas elements cannot, so they stay on this thread. */
const isMovable = (canvas: HTMLCanvasElement | OffscreenCanvas | null): canvas is OffscreenCanvas =>
  canvas !== null && !('tagName' in canvas);

/** Returns the first answer that is not null. */
const firstAnswer = <T>(answers: readonly (T | null)[]): T | null =>
  answers.find((answer) => answer !== null) ?? null;

/** The peer of `single` mode, in which all work runs on the main thread. */
export class LocalPeer implements ThreadPeer {
  readonly name = 'main';
  readonly isDead = false;
  readonly #api: ThreadApi;

  constructor(api: ThreadApi) {
    this.#api = api;
  }

  call<T>(_awaited: string, ask: (api: ThreadApi) => Promise<T>): Promise<T> {
    return ask(this.#api);
  }

  /** Returns null, because the main thread's own ring contains all events. */
  async readEvents(): Promise<null> {
    return null;
  }

  shutDown(isStreamClosed: boolean): Promise<ShutDownReport> {
    return this.#api.shutDown(isStreamClosed);
  }
}
