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

/** The choices that options make for an engine. Tests put others in their place. */
export interface Composition extends Pick<EngineHost, 'connectTo' | 'frames' | 'checkThread' | 'look'> {
  readonly options: ResolvedOptions;
  readonly connect: Connect;
  readonly Surface: SurfaceClass;
}

/**
 * Creates an engine, in the order that leaves least behind when something fails: options are checked first, then the
 * surface is taken, then the threads start.
 *
 *   options ─► checks ─► Surface ─► threads start ─┬─► Engine, as soon as the page knows of a GPU adapter
 *                                                  └─► … threads are ready: frames are drawn
 *
 * The engine does not wait for its threads' files, so that loads begin while those are on their way.
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
  const { toneCurve, displayCode } = look;
  // An engine without a GPU may run where nothing is laid out: in Node, or in jsdom.
  const isUnseen = given.backend === 'null' && !(globalThis.ResizeObserver && globalThis.matchMedia);
  const withCurve = { ...given, toneCurve, displayCode };
  const options = isUnseen ? withoutWorkers(withCurve) : withCurve;
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

/** @param signal ends the start */
export async function composeEngine(
  target: HTMLElement | null,
  { options, connect, ...composition }: Composition,
  signal?: AbortSignal,
): Promise<Engine> {
  const early: unknown[] = [];
  // The engine listens in their place as soon as there is one.
  const events: EngineListeners = {
    onError: (error) => early.push(error),
    onReadback: () => {},
    awaitedFrame: () => 0,
    onResize: () => {},
    ring: new EventRing(),
    roles: pageRoles,
  };
  const surface = new composition.Surface(target as HTMLElement, options.pixelRatio, (width, height) =>
    events.onResize(width, height),
  );
  let connecting: Promise<RenderConnection> | undefined;
  // In the turn of the abort, so that another engine can be created on the canvas at once.
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
    // A connection that is still being made ends as soon as it can.
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
  /** Features that the device has, or will have. */
  readonly features: readonly string[];
}

/**
 * Resolves when an engine can be made of the connection: with the page's own word that there is a GPU adapter, or, where
 * options may keep the threads from starting, once they have started.
 */
async function opened(connecting: Promise<RenderConnection>, options: ResolvedOptions): Promise<Opened> {
  const { threading, backend, locate, required, validation, flightRecorder } = options;
  const mayFail = threading === 'single' || backend === 'null' || locate || required || validation;
  if (mayFail || flightRecorder) {
    const connection = await connecting;
    return { connection, features: (await connection.started).features };
  }
  const [adapter, connection] = await Promise.all([requestAdapter(navigator.gpu), connecting]);
  // A start that has failed by now, such as one that the page's policy forbids, rejects here.
  await Promise.race([connection.started, eventTurn()]);
  connection.takeCanvas();
  return { connection, features: wantedFeatures(adapter) };
}
