/** The part for what is blended, loaded with the first material that is. */
import { BlendedOrder } from '../../render/blending/blended-order.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world: { scene } }: RenderPartHost): RenderPart {
  scene.primitives.createBlendedOrder = () => new BlendedOrder();
  // The command for it says only that the part is needed.
  return { execute: () => {} };
}
