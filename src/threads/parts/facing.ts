/** The part for lines, points and sprites, loaded with the first of them. */
import { facingVertices } from '../../render/facing/facing-vertices.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world }: RenderPartHost): RenderPart {
  world.scene.vertexPolicies[facingVertices.number] = facingVertices;
  // The command for it says only that the part is needed.
  return { execute: () => {} };
}
