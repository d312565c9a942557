import { isDevelopmentBuild } from '../../core/development.js';
import { EventRing } from '../../core/event-ring.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';
import { webGpuMissing } from '../../rhi/webgpu/webgpu-missing.js';
import type { Connect, RenderConnection } from './connection.js';
import { Engine, type EngineListeners } from './engine.js';
import type { ResolvedOptions, ThreadingMode } from './engine-options.js';
import { Look } from './look.js';
import { Surface } from './surface.js';
import { connectWorkers } from './worker-connection.js';

/**
 * Starts the threads and puts an engine together, in the order that leaves least behind when something fails:
 * what needs no thread is checked first, then the surface is taken, then the threads start.
 *
 *   options ─► colour, tone curve ─► Surface ─► connection (single, or workers) ─► Engine
 *
 * @internal use `createEngine` of the package
 */
export async function composeEngine(
  target: HTMLElement,
  checked: ResolvedOptions,
  signal?: AbortSignal,
): Promise<Engine> {
  signal?.throwIfAborted();
  let options = checked;
  if (options.backend === 'webgpu' && !navigator.gpu) throw webGpuMissing();
  // All that can be wrong on this side is found before a thread is started or the canvas touched.
  const look = new Look(options);
  if (look.toneMapping !== 'none') {
    await look.loadToneCurve();
    options = { ...options, toneCurve: look.toneCurve };
  }
  const connectBy = async (threading: ThreadingMode): Promise<Connect> =>
    threading === 'single' ? (await import('./single-thread.js')).connectSingleThread : connectWorkers;
  const connect = await connectBy(options.threading);
  signal?.throwIfAborted();
  const ring = new EventRing();
  const roles = new ThreadRoles('main');
  const early: unknown[] = [];
  let listeners: EngineListeners = {
    onError: (error) => early.push(error),
    onReadback: () => {},
    awaitedFrame: () => 0,
    onResize: () => {},
    ring,
    roles,
  };
  const surface = new Surface(target, options.pixelRatio, (width, height) =>
    listeners.onResize(width, height),
  );
  let connecting: Promise<RenderConnection> | undefined;
  try {
    connecting = connect(surface, options, {
      onError: (error) => listeners.onError(error),
      onReadback: (request, bytes) => listeners.onReadback(request, bytes),
      awaitedFrame: () => listeners.awaitedFrame(),
      ring,
      roles,
    });
    const connection = await untilAborted(connecting, signal);
    surface.limitSize(connection.capabilities.limits.maxTextureDimension2D);
    const listen = (next: EngineListeners): void => {
      listeners = next;
      for (const error of early) next.onError(error);
    };
    const seconds = options.flightRecorder;
    const recordFlight = seconds
      ? await (await import('./flight-recording.js')).startFlightRecorder(await connection.control(), seconds)
      : null;
    const checkThread =
      options.validation || isDevelopmentBuild
        ? (await import('./affinity.js')).createThreadCheck(roles)
        : undefined;
    signal?.throwIfAborted();
    return new Engine(
      connection,
      { connect: connectBy, surface, look, recordFlight, listen, ring, roles, checkThread },
      options,
    );
  } catch (error) {
    surface.dispose();
    // One that is still being made ends as soon as it can be.
    connecting?.then(
      (connection) => connection.end(),
      () => {},
    );
    throw error;
  }
}

/** What a promise comes to, or the signal's reason where that is aborted before. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
