/** The part for meshes whose vertices joints or morph targets move, loaded with the first of them. */
import { Deformers } from '../../render/deformers/deformers.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world }: RenderPartHost): RenderPart {
  const { scene, geometries } = world.stores;
  const deformers = new Deformers(scene, geometries);
  scene.deformers = deformers;
  world.sceneRenderer.layout.extend(deformers);
  return { execute: (reader) => deformers.execute(reader) };
}
