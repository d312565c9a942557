/** The part for light from all around, loaded with the first command for it. */
import { EnvironmentLight } from '../../render/environment/environment.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const environment = renderer.addEnvironment((rhi, largestSize) => new EnvironmentLight(rhi, largestSize));
  return { execute: (reader) => environment.execute(reader) };
}
