/** The part for what is seen in a pixel, loaded with the first pick. */
import { Picking } from '../../render/picking/picking.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const picking = new Picking(renderer);
  renderer.features.picking = picking;
  return { execute: (reader) => picking.execute(reader) };
}
