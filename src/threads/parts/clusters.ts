/** The part for hundreds of lights, loaded with the first of them that is one too many for going through all. */
import { LightClusters } from '../../render/clusters/light-clusters.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const clusters = new LightClusters(renderer.rhi);
  renderer.features.clusters = clusters;
  renderer.sceneRenderer.layout.extend(clusters);
  // The command for it says only that the part is needed.
  return { execute: () => {} };
}
