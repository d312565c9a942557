/** The part for worlds besides the engine's own, loaded with the first of them. */
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';
import { WorldRouter } from '../render-worker/world-router.js';

export const createRenderPart = (host: RenderPartHost): RenderPart => new WorldRouter(host);
