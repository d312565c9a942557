import { development } from '../../core/development.js';
import { EventRing } from '../../core/event-ring.js';
import { part } from '../../core/lazily.js';
import { webGpuMissing } from '../../rhi/webgpu/webgpu-missing.js';
import type { Connect, RenderConnection } from './connection.js';
import { Engine, type EngineListeners } from './engine.js';
import type { ResolvedOptions, ThreadingMode } from './engine-options.js';
import { Look } from './look.js';
import { type EngineSurface, Surface } from './surface.js';
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
  target: HTMLElement | null,
  checked: ResolvedOptions,
  signal?: AbortSignal,
): Promise<Engine> {
  signal?.throwIfAborted();
  let options = checked;
  if (options.backend === 'webgpu' && !globalThis.navigator?.gpu) throw webGpuMissing();
  // All that can be wrong on this side is found before a thread is started or the canvas touched.
  const look = new Look(options);
  if (look.toneMapping !== 'none') {
    await look.loadToneCurve();
    options = { ...options, toneCurve: look.toneCurve };
  }
  // Without a GPU the page need not be one that anybody sees.
  const unseen =
    options.backend === 'null' && !(globalThis.ResizeObserver && globalThis.matchMedia)
      ? await part('unseen-page', import('./unseen-page.js'))
      : undefined;
  options = unseen?.withoutWorkers(options) ?? options;
  const { required } = options;
  const connectBy = async (threading: ThreadingMode): Promise<Connect> => {
    const connectPlain =
      threading === 'single'
        ? (await part('single-thread', import('./single-thread.js'))).connectSingleThread
        : (unseen?.connectWithoutWorkers() ?? connectWorkers);
    return required
      ? (await part('required', import('./required.js'))).connectRequiring(connectPlain, required)
      : connectPlain;
  };
  const connect = await connectBy(options.threading);
  signal?.throwIfAborted();
  const early: unknown[] = [];
  // The engine listens in their place as soon as there is one.
  const events: EngineListeners = {
    onError: (error) => early.push(error),
    onReadback: () => {},
    awaitedFrame: () => 0,
    onResize: () => {},
    ring: new EventRing(),
  };
  const surface: EngineSurface = new (unseen?.UnseenSurface ?? Surface)(
    target as HTMLElement,
    options.pixelRatio,
    (width, height) => events.onResize(width, height),
  );
  let connecting: Promise<RenderConnection> | undefined;
  try {
    connecting = connect(surface, options, events);
    const connection = await untilAborted(connecting, signal);
    surface.limitSize(connection.capabilities.limits.maxTextureDimension2D);
    const seconds = options.flightRecorder;
    const recordFlight = seconds
      ? await (await part('flight-recording', import('./flight-recording.js'))).startFlightRecorder(
          await connection.control(),
          seconds,
        )
      : null;
    const checkThread =
      options.validation || development.isOn
        ? (await part('affinity', import('./affinity.js'))).checkGameThread
        : undefined;
    signal?.throwIfAborted();
    const frames = unseen?.unseenFrameSource;
    const parts = { connect: connectBy, surface, frames, look, recordFlight, events, checkThread };
    const engine = new Engine(connection, parts, options);
    for (const error of early) events.onError(error);
    return engine;
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
