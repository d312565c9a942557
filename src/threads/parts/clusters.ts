/** The part for hundreds of lights, loaded with the first of them that is one too many for going through all. */
import { LightClusters } from '../../render/clusters/light-clusters.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world }: RenderPartHost): RenderPart {
  const clusters = new LightClusters(world.rhi);
  world.features.clusters = clusters;
  world.sceneRenderer.layout.extend(clusters);
  // The command for it says only that the part is needed.
  return { execute: () => {} };
}
