/** The part for the deferred renderer, loaded when it is chosen. */
import { RENDERERS } from '../../proxy/commands.js';
import { DeferredRenderer } from '../../render/deferred/deferred-renderer.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const deferred = renderer.addDeferred(
    (rhi, frameLayout, meshes) => new DeferredRenderer(rhi, frameLayout, meshes),
  );
  return {
    execute({ words, fields }) {
      deferred.isOn = RENDERERS[words[fields] as number] === 'deferred';
    },
  };
}
