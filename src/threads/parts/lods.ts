/** The part for meshes that are drawn from less when they are small, loaded with the first of them. */
import { LodStore } from '../../render/lods/lod-store.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world: { scene } }: RenderPartHost): RenderPart {
  scene.lods ??= new LodStore(scene);
  const { lods } = scene;
  return { execute: (reader) => lods.execute(reader) };
}
