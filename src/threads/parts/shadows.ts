/** The part for shadows, loaded with the first light that casts some. */
import { ShadowMaps } from '../../render/shadows/shadow-maps.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer, world }: RenderPartHost): RenderPart {
  const { rhi, stores, sceneRenderer } = world;
  const { largestSize } = renderer;
  const shadows = new ShadowMaps(rhi, stores, sceneRenderer.layout, sceneRenderer.createPass, largestSize);
  world.features.shadows = shadows;
  sceneRenderer.layout.extend(shadows);
  return { execute: (reader) => shadows.execute(reader) };
}
