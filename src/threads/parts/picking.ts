/** The part for what is seen in a pixel, loaded with the first pick. */
import { Picking } from '../../render/picking/picking.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world }: RenderPartHost): RenderPart {
  const picking = new Picking(world);
  world.features.picking = picking;
  return { execute: (reader) => picking.execute(reader) };
}
