/** The part for meshes whose vertices joints or morph targets move, loaded with the first of them. */
import { Deformers } from '../../render/deformers/deformers.js';
import { morphedVertices } from '../../render/deformers/morphed-vertices.js';
import { skinnedVertices } from '../../render/deformers/skinned-vertices.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world }: RenderPartHost): RenderPart {
  const { scene, geometries } = world.stores;
  const deformers = new Deformers(scene, geometries);
  scene.deformers = deformers;
  for (const policy of [skinnedVertices(deformers), morphedVertices(deformers)]) {
    scene.vertexPolicies[policy.number] = policy;
  }
  world.sceneRenderer.layout.extend(deformers);
  return { execute: (reader) => deformers.execute(reader) };
}
