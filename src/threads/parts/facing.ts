/** The part for lines, points and sprites, loaded with the first of them. */
import { facingShaders } from '../../render/facing/facing-shaders.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world }: RenderPartHost): RenderPart {
  world.scene.facing = facingShaders;
  // The command for it says only that the part is needed.
  return { execute: () => {} };
}
