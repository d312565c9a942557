/** The part for the deferred renderer, loaded when it is chosen. */
import { RENDERERS } from '../../proxy/commands.js';
import { DeferredRenderer } from '../../render/deferred/deferred-renderer.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer, world }: RenderPartHost): RenderPart {
  const { layout, pipelines } = world.sceneRenderer;
  const deferred = new DeferredRenderer(world.rhi, layout, pipelines, () => renderer.sampleCount > 1);
  world.features.deferred = deferred;
  return {
    execute({ words, fields }) {
      deferred.isOn = RENDERERS[words[fields] as number] === 'deferred';
    },
  };
}
