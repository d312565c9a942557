/** The part for textures with images, loaded with the first of them. The renderer executes the commands itself then. */
import { MaterialTextures } from '../../render/material-textures.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  renderer.scene.materials.textures = new MaterialTextures(renderer.rhi, renderer.largestSize);
  return { execute: (reader) => renderer.execute(reader) };
}
