/** The part for views besides the active camera's, loaded with the first of them. */
import { AddedViews } from '../../render/views/added-views.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const views = new AddedViews(renderer);
  renderer.features.views = views;
  return { execute: (reader) => views.execute(reader) };
}
