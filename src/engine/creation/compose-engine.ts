import { EventRing } from '../../core/events/event-ring.js';
import { eventTurn } from '../../core/events/event-turn.js';
import { requestAdapter, wantedFeatures, webGpuMissing } from '../../rhi/webgpu/device/open-device.js';
import { connectBy } from '../../threads/connections/connect-by.js';
import type { Connect, RenderConnection } from '../../threads/connections/connection.js';
import { requireWorkers } from '../../threads/library-files/module-worker.js';
import { startFlightRecorder } from '../captures/flight-recording.js';
import { Engine } from '../engine.js';
import type { EngineHost, EngineListeners } from '../engine-host.js';
import { untilAborted } from '../frames/until-aborted.js';
import type { EngineOptions, ResolvedOptions, ThreadingMode } from '../options/engine-options.js';
import { Look } from '../options/look.js';
import { resolveOptions } from '../options/option-checks.js';
import { Surface, type SurfaceClass } from '../surfaces/surface.js';
import { checkGameThread, pageRoles } from './thread-affinity.js';
import { UnseenSurface, unseenFrameSource, withoutWorkers } from './unseen-page.js';

/** The parts that the options select for an engine. Tests replace them. */
export interface Composition extends Pick<EngineHost, 'connectTo' | 'frames' | 'checkThread' | 'look'> {
  readonly options: ResolvedOptions;
  readonly connect: Connect;
  readonly Surface: SurfaceClass;
}

/**
 * Creates an engine. The options are checked, then the surface is taken, and then the threads are started. In this
 * order, a step that fails leaves the least to undo.
 *
 *   options ─► checks ─► Surface ─► threads start ─┬─► Engine, as soon as the page knows of a GPU adapter
 *                                                  └─► … threads are ready: frames are drawn
 *
 * The engine usually does not wait for the worker scripts, so that loads begin while the scripts are being fetched.
 *
 * @internal use `createEngine` of the package
 */
export async function createEngine(target: HTMLElement | null, given: EngineOptions = {}): Promise<Engine> {
  const options = resolveOptions(given);
  const { signal } = given;
  signal?.throwIfAborted();
  if (options.backend === 'webgpu' && !globalThis.navigator?.gpu) throw webGpuMissing();
  const composition = compositionOf(options);
  return composeEngine(target, composition, signal);
}

function compositionOf(given: ResolvedOptions): Composition {
  const look = new Look(given);
  // An engine without a GPU may run without page layout: in Node, or in jsdom.
  const isUnseen = given.backend === 'null' && !(globalThis.ResizeObserver && globalThis.matchMedia);
  const options = isUnseen ? withoutWorkers(given) : given;
  const { threading, validation } = options;
  const connectTo = async (mode: ThreadingMode): Promise<Connect> => {
    if (mode !== 'single') requireWorkers();
    return connectBy(mode);
  };
  return {
    options,
    look,
    connect: async (...parameters) => (await connectTo(threading))(...parameters),
    connectTo,
    Surface: isUnseen ? UnseenSurface : Surface,
    frames: isUnseen ? unseenFrameSource : undefined,
    checkThread: validation || globalThis.FENCEPOST_DEVELOPMENT ? checkGameThread : undefined,
  };
}

/** Takes the surface, starts the threads and creates the engine. @param signal aborts the start */
export async function composeEngine(
  target: HTMLElement | null,
  { options, connect, ...composition }: Composition,
  signal?: AbortSignal,
): Promise<Engine> {
  const early: unknown[] = [];
  // Placeholders: the engine's constructor replaces all listeners except `onTrace`.
  const events: EngineListeners = {
    onError: (error) => early.push(error),
    onReadback: () => {},
    onTrace: (lines) => {
      for (const line of lines) options.rhiTrace?.(line);
    },
    awaitedFrame: () => 0,
    onResize: () => {},
    ring: new EventRing(),
    roles: pageRoles,
  };
  const surface = new composition.Surface(target as HTMLElement, options.pixelRatio, (width, height) =>
    events.onResize(width, height),
  );
  let connecting: Promise<RenderConnection> | undefined;
  // Leave the canvas in the turn of the abort, so that another engine can be created on it at once.
  const leave = (): void => surface.leave();
  signal?.addEventListener('abort', leave);
  try {
    connecting = connect(surface, options, events);
    const opening = opened(connecting, options);
    const { connection, features } = await (signal ? untilAborted(opening, signal) : opening);
    const { started } = connection;
    const host: EngineHost = {
      ...composition,
      surface,
      recordFlight: options.flightRecorder
        ? await startFlightRecorder(connection.control, options.flightRecorder)
        : null,
      events,
      features,
    };
    signal?.throwIfAborted();
    const engine = new Engine(connection, host, options);
    started.then(
      ({ limits }) => surface.limitSize(limits.maxTextureDimension2D),
      (error) => engine.startFailed(connection, error),
    );
    for (const error of early) events.onError(error);
    return engine;
  } catch (error) {
    surface.dispose();
    // End a connection that is still being made as soon as it exists.
    connecting?.then(
      (connection) => connection.end(),
      () => {},
    );
    throw error;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

interface Opened {
  readonly connection: RenderConnection;
  /** WebGPU names of the features that the device has, or will have once it is created. */
  readonly features: readonly string[];
}

/**
 * Resolves when an engine can be created with the connection. It waits for the start of the threads if the options
 * could make the start fail, or include the flight recorder. Otherwise it is enough that the page itself finds a GPU
 * adapter.
 */
async function opened(connecting: Promise<RenderConnection>, options: ResolvedOptions): Promise<Opened> {
  const { threading, backend, locate, required, flightRecorder } = options;
  const needsTools = options.validation || options.isRhiTraced || options.rhiBypass;
  const mayFail = threading === 'single' || backend === 'null' || locate || required || needsTools;
  if (mayFail || flightRecorder) {
    const connection = await connecting;
    return { connection, features: (await connection.started).features };
  }
  const [adapter, connection] = await Promise.all([requestAdapter(navigator.gpu), connecting]);
  // A start that has failed by now rejects here, for example if the page's security policy forbids the worker.
  await Promise.race([connection.started, eventTurn()]);
  connection.takeCanvas();
  return { connection, features: wantedFeatures(adapter) };
}
