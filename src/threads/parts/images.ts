/** The part for textures with images, loaded with the first of them. The renderer executes the commands itself then. */
import { MaterialTextures } from '../../render/material-textures.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const { rhi, largestSize, capabilities } = renderer;
  renderer.scene.materials.textures = new MaterialTextures(rhi, largestSize, capabilities.features);
  return { execute: (reader) => renderer.execute(reader) };
}
