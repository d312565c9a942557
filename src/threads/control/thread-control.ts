import { transfer } from 'comlink';
import type { RingCursors, ThreadEvents } from '../../core/events/event-reader.js';
import { type GraphPicture, withTimes } from '../../graph/description/graph-picture.js';
import type { ModulesConfig } from '../../render-modules/render-module-messages.js';
import type { LeakReport } from '../../rhi/execute/executor.js';
import { type Clock, systemClock, withDeadline } from '../../sync/deadline.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { FencesConfig } from './fence-messages.js';
import type { HelperPorts, ShutDownReport, TaskThreadConfig, ThreadApi } from './protocol.js';

export interface ThreadControl {
  /** Carries out pending deletes, and releases everything whose last use has completed. */
  purge(): Promise<void>;
  /** Measures GPU times from now on, where the device can. */
  measureGpu(): Promise<void>;
  /** Destroys the device. */
  loseDevice(): Promise<void>;
  /** Reads the events of threads other than the main one since `places`; one that does not answer is left out. */
  readEvents(places: RingCursors): Promise<readonly ThreadEvents[]>;
  /** The frame graph of the last frame, with GPU times from `measureGpu` on. */
  describeGraph(): Promise<GraphPicture>;
  /** Has counts per view written into shared memory, or posted to the port. */
  followViews(shared: SharedArrayBuffer | null, port: MessagePort | null): Promise<void>;
  /** Hands a canvas to whoever draws; null: the one that they have under this number. */
  giveSurface(surface: number, canvas: HTMLCanvasElement | OffscreenCanvas | null): Promise<void>;
  dropSurface(surface: number): Promise<void>;
  startCapture(): Promise<void>;
  /** The file; null where no thread has captured. */
  stopCapture(): Promise<ArrayBuffer | null>;
  /** Keeps the last frames of both streams from here on. */
  startRecording(framesPerKeyframe: number): Promise<void>;
  writeRecording(): Promise<ArrayBuffer | null>;
  /** Has the threads join the page's fences. @param join what one of them joins with */
  connectFences(join: (name: string) => FencesConfig): Promise<void>;
  /** Has the render thread cull in groups, with these helpers. */
  connectHelpers(config: HelperPorts): Promise<void>;
  /** Has threads other than this one be sent tasks by their names. @param open called for each @returns these names */
  serveTasks(open: (name: AttachedName) => TaskThreadConfig): Promise<readonly AttachedName[]>;
  /** Opens the render thread for render modules. */
  connectModules(config: ModulesConfig): Promise<void>;
  /** Destroys everything, and reports what was still alive. */
  shutDown(): Promise<LeakReport>;
}

/** A thread that can be asked; a worker (`worker-peer.ts`), or in `single` mode this one. */
export interface ThreadPeer {
  /** It has ended without being asked to. */
  readonly isDead: boolean;
  /** Ends with the answer, or with the thread's end. @param awaited what the answer is to, for messages */
  call<T>(awaited: string, ask: (api: ThreadApi) => Promise<T>): Promise<T>;
  /** Events that the thread has noted since; null if it does not answer. */
  readEvents(places: RingCursors): Promise<ThreadEvents | null>;
  shutDown(isStreamClosed: boolean): Promise<ShutDownReport>;
}

/** How long `dispose()` may take, in milliseconds. */
const SHUT_DOWN_LIMIT = 30_000;

/**
 * Questions to the threads behind the main thread, beside the frames, whichever threads those are. Each question goes
 * to all of them, and the answers become one.
 *
 *   purge, captures, shutDown … ──► PeerControl ─┬─► peer "render" ── comlink, or a direct call ──► ThreadApi
 *                                                └─► peer "RHI"    ── …
 */
export class PeerControl implements ThreadControl {
  /** In the order in which they shut down: the render thread first. */
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
    return theOne(await this.#all('stopCapture()', (api) => api.stopCapture()));
  }

  async startRecording(framesPerKeyframe: number): Promise<void> {
    await this.#all('the flight recorder', (api) => api.startRecording(framesPerKeyframe));
  }

  async writeRecording(): Promise<ArrayBuffer | null> {
    const commands = theOne(await this.#all('the flight recorder', (api) => api.takeRenderCommands()));
    return theOne(await this.#all('the flight recorder', (api) => api.writeRecording(commands)));
  }

  async connectHelpers(config: HelperPorts): Promise<void> {
    const [render] = this.#peers as [ThreadPeer];
    await render.call('helpers of its loops', (api) => api.connectHelpers(config));
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
    // In `single` mode this thread is all of them.
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
   * In order: the render worker's destroys reach the RHI worker before that one reports. Where a worker has died,
   * nobody can tell what is a leak and what it would still have destroyed: none is reported.
   * @throws ThreadError `wait-timed-out`
   */
  async shutDown(): Promise<LeakReport> {
    const work = async (): Promise<LeakReport> => {
      const leaks = [];
      let isStreamClosed = false;
      for (const peer of this.#peers) {
        const report = await peer.shutDown(isStreamClosed);
        isStreamClosed = report.closesStream;
        leaks.push(...report.leaks);
      }
      return { leaks: this.#peers.some((peer) => peer.isDead) ? [] : leaks };
    };
    return withDeadline(work(), {
      milliseconds: SHUT_DOWN_LIMIT,
      waiter: 'dispose()',
      awaited: 'the workers, which were ended now, to report what was still alive',
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

/** Elements go to this thread only. */
const isMovable = (canvas: HTMLCanvasElement | OffscreenCanvas | null): canvas is OffscreenCanvas =>
  canvas !== null && !('tagName' in canvas);

/** Returns the first answer that is not null. */
const theOne = <T>(answers: readonly (T | null)[]): T | null =>
  answers.find((answer) => answer !== null) ?? null;

/** The threads behind the main thread, where they run on it: `single` mode. */
export class LocalPeer implements ThreadPeer {
  readonly isDead = false;
  readonly #api: ThreadApi;

  constructor(api: ThreadApi) {
    this.#api = api;
  }

  call<T>(_awaited: string, ask: (api: ThreadApi) => Promise<T>): Promise<T> {
    return ask(this.#api);
  }

  /** All that happens here is in the main thread's own ring. */
  async readEvents(): Promise<null> {
    return null;
  }

  shutDown(isStreamClosed: boolean): Promise<ShutDownReport> {
    return this.#api.shutDown(isStreamClosed);
  }
}
