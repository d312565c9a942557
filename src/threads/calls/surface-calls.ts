import type { DrawingSurface, ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from './thread-api.js';

const kept = new Map<number, DrawingSurface>();

/**
 * Creates the control calls for canvases of views, on the thread that draws to them. Control over a canvas can be
 * transferred to a worker only once. So a worker keeps each canvas for later connections, until `dropSurface`. In
 * `single` mode the page passes its canvases with every connection. Keeping them would leak them, because the page
 * outlives its engines.
 *
 *   giveSurface 3, canvas ─► kept ─► executor          first connection
 *   giveSurface 3, null ───► kept ─► executor          later connections on this worker
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
