import type { DrawingSurface, ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from './thread-api.js';

const kept = new Map<number, DrawingSurface>();

/**
 * Creates the answers to calls for canvases of views, on the thread that draws to them. Control over a canvas
 * can be transferred to a worker only once. So the worker keeps the canvas from one connection to the next,
 * as long as it lives. The page passes its own canvases with every connection and outlives them all, so
 * nothing is kept on the page.
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
