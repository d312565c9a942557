import type { DrawingSurface, ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from './thread-api.js';

const kept = new Map<number, DrawingSurface>();

/**
 * Canvases of views on the thread that draws to them. Control over a canvas comes to a worker once: it stays here from one
 * connection to the next, and goes with the worker. The page gives its own with every connection, and outlives them all: for
 * it nothing is kept.
 *
 *   giveSurface 3, canvas ─► kept ─► executor          first connection
 *   giveSurface 3, null ───► kept ─► executor          those that follow, on this worker
 */
export function createSurfaceCalls(thread: ThreadSides): Pick<ThreadApi, 'giveSurface' | 'dropSurface'> {
  const set = async (surface: number, canvas: DrawingSurface | null): Promise<void> => {
    thread.rhi?.gpuBackend?.rare.surfaces.set(surface, canvas);
  };
  return {
    async giveSurface(surface, canvas) {
      if (canvas && !globalThis.document) kept.set(surface, canvas);
      await set(surface, canvas ?? kept.get(surface) ?? null);
    },
    async dropSurface(surface) {
      kept.delete(surface);
      await set(surface, null);
    },
  };
}
