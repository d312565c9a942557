import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from '../control/thread-api.js';
import type { DrawingSurface } from './rhi-side.js';

/**
 * Canvases of views on the thread that draws to them. Control over a canvas comes once: it stays here from one connection to
 * the next, and goes with the thread.
 *
 *   giveSurface 3, canvas ─► kept ─► executor          first connection
 *   giveSurface 3, null ───► kept ─► executor          those that follow, on this thread
 */
const kept = new Map<number, DrawingSurface>();

export function createSurfaceCalls(thread: ThreadSides): Pick<ThreadApi, 'giveSurface' | 'dropSurface'> {
  const set = async (surface: number, canvas: DrawingSurface | null): Promise<void> => {
    const seldom = await thread.rhi?.parts?.loadSeldom();
    seldom?.surfaces.set(surface, canvas);
  };
  return {
    async giveSurface(surface, canvas) {
      if (canvas) kept.set(surface, canvas);
      await set(surface, kept.get(surface) ?? null);
    },
    async dropSurface(surface) {
      kept.delete(surface);
      await set(surface, null);
    },
  };
}
