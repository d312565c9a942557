/** The part for meshes that go with joints, loaded with the first skin. */
import { SkinStore } from '../../render/skins/skin-store.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const skins = renderer.addSkins((scene) => new SkinStore(scene));
  return { execute: (reader) => skins.execute(reader) };
}
