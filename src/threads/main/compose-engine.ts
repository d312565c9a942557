import { development } from '../../core/development.js';
import { EventRing } from '../../core/event-ring.js';
import { webGpuMissing } from '../../rhi/webgpu/webgpu-missing.js';
import type { Connect, RenderConnection } from './connection.js';
import { Engine, type EngineListeners, type EngineParts } from './engine.js';
import { DEFAULT_OPTIONS, type ResolvedOptions } from './engine-options.js';
import type { RecordFlight } from './flight-recording.js';
import { Look } from './look.js';
import { Surface, type SurfaceClass } from './surface.js';
import { connectWorker } from './worker-connection.js';

/** What an engine is made of. `configure.ts`, loaded where options are given, puts other things in the place of the usual ones. */
export interface Composition extends Pick<EngineParts, 'connectTo' | 'frames' | 'checkThread' | 'look'> {
  readonly options: ResolvedOptions;
  readonly connect: Connect;
  readonly Surface: SurfaceClass;
  readonly signal?: AbortSignal | undefined;
  /** What the connection comes to; rejects earlier where the page has lost interest. */
  readonly connected?: (connecting: Promise<RenderConnection>) => Promise<RenderConnection>;
  readonly recordFlight?: ((connection: RenderConnection) => Promise<RecordFlight>) | undefined;
}

/** An engine without options. @throws PlatformError `webgpu-missing` */
export function usualComposition(): Composition {
  requireWebGpu();
  const options = DEFAULT_OPTIONS;
  return { options, look: new Look(options), connect: connectWorker, Surface };
}

/** @throws PlatformError `webgpu-missing` */
export function requireWebGpu(): void {
  if (!globalThis.navigator?.gpu) throw webGpuMissing();
}

/**
 * Starts the threads and puts an engine together, in the order that leaves least behind when something fails:
 * what needs no thread is checked before, then the surface is taken, then the threads start.
 *
 *   composition ─► Surface ─► connection (single, or workers) ─► Engine
 *
 * @internal use `createEngine` of the package
 */
export async function composeEngine(
  target: HTMLElement | null,
  { options, connect, connected, recordFlight, signal, ...composition }: Composition,
): Promise<Engine> {
  const early: unknown[] = [];
  // The engine listens in their place as soon as there is one.
  const events: EngineListeners = {
    onError: (error) => early.push(error),
    onReadback: () => {},
    awaitedFrame: () => 0,
    onResize: () => {},
    ring: new EventRing(),
  };
  const surface = new composition.Surface(target as HTMLElement, options.pixelRatio, (width, height) =>
    events.onResize(width, height),
  );
  let connecting: Promise<RenderConnection> | undefined;
  try {
    connecting = connect(surface, options, events);
    const connection = await (connected?.(connecting) ?? connecting);
    surface.limitSize(connection.capabilities.limits.maxTextureDimension2D);
    const parts = {
      ...composition,
      checkThread: composition.checkThread ?? development.checkThread,
      surface,
      recordFlight: (await recordFlight?.(connection)) ?? null,
      events,
    };
    signal?.throwIfAborted();
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
