/** The part for light from all around, loaded with the first command for it. */
import { EnvironmentLight } from '../../render/environment/environment.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const environment = new EnvironmentLight(renderer.rhi, renderer.largestSize);
  renderer.features.environment = environment;
  renderer.sceneRenderer.layout.extend(environment);
  return { execute: (reader) => environment.execute(reader) };
}
