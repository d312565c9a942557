/** The part for light from all around, loaded with the first command for it. */
import { EnvironmentLight } from '../../render/environment/environment.js';
import { Sky } from '../../render/environment/sky.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer, world }: RenderPartHost): RenderPart {
  const { rhi, largestSize, capabilities } = renderer;
  const { sceneRenderer, features } = world;
  const hasBlocks = capabilities.features.includes('texture-compression-bc');
  const { layout, pipelines } = sceneRenderer;
  const environment = new EnvironmentLight(rhi, new Sky(rhi, layout, pipelines), largestSize, hasBlocks);
  features.environment = environment;
  layout.extend(environment);
  return { execute: (reader) => environment.execute(reader) };
}
