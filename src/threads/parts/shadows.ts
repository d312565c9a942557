/** The part for shadows, loaded with the first light that casts some. */
import { ShadowMaps } from '../../render/shadows/shadow-maps.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const shadows = renderer.addShadows(
    (rhi, stores, createPass, largestSize) => new ShadowMaps(rhi, stores, createPass, largestSize),
  );
  return { execute: (reader) => shadows.execute(reader) };
}
