import { part } from '../../core/lazily.js';
import { checkSignal } from '../../game/check-signal.js';
import { type Composition, composeEngine, requireWebGpu } from './compose-engine.js';
import { connectBy } from './connect-by.js';
import type { RenderConnection } from './connection.js';
import type { Engine } from './engine.js';
import type { EngineOptions, ResolvedOptions, ThreadingMode } from './engine-options.js';
import { Look } from './look.js';
import { requireWorkers } from './module-worker.js';
import { resolveOptions } from './option-checks.js';
import { Surface } from './surface.js';

/**
 * Puts an engine together as options say. Loaded by the first `createEngine` that is given any; what single options take is
 * loaded with them.
 *
 *   options ─► checks ─► tone curve, canvas, threads as they say ─► composeEngine
 */
export async function createConfigured(target: HTMLElement | null, given: EngineOptions): Promise<Engine> {
  const options = resolveOptions(given);
  const signal = checkSignal('createEngine', given.signal);
  signal?.throwIfAborted();
  if (options.backend === 'webgpu') requireWebGpu();
  // All that can be wrong on this side is found before a thread is started or the canvas touched.
  const look = new Look(options);
  await look.loadTones();
  const { toneCurve, displayCode } = look;
  const composition = await compositionOf({ ...options, toneCurve, displayCode }, look);
  signal?.throwIfAborted();
  return composeEngine(target, { ...composition, signal, connected: (one) => untilAborted(one, signal) });
}

async function compositionOf(options: ResolvedOptions, look: Look): Promise<Composition> {
  // Without a GPU the page need not be one that anybody sees.
  const unseen =
    options.backend === 'null' && !(globalThis.ResizeObserver && globalThis.matchMedia)
      ? await part('unseen-page', import('./unseen-page.js'))
      : undefined;
  const resolved = unseen?.withoutWorkers(options) ?? options;
  const { threading, required, validation, flightRecorder } = resolved;
  const connectTo = async (mode: ThreadingMode) => {
    if (mode !== 'single') requireWorkers();
    return connectBy(mode, required);
  };
  const flightRecording = flightRecorder
    ? await part('flight-recording', import('./flight-recording.js'))
    : undefined;
  return {
    options: resolved,
    look,
    connect: await connectTo(threading),
    connectTo,
    Surface: unseen?.UnseenSurface ?? Surface,
    frames: unseen?.unseenFrameSource,
    checkThread: validation ? (await part('affinity', import('./affinity.js'))).checkGameThread : undefined,
    recordFlight:
      flightRecording &&
      (async (connection) => flightRecording.startFlightRecorder(await connection.control(), flightRecorder)),
  };
}

/** What a promise comes to, or the signal's reason where that is aborted before. */
function untilAborted(
  promise: Promise<RenderConnection>,
  signal: AbortSignal | undefined,
): Promise<RenderConnection> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
