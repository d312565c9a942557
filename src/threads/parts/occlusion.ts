/** The part for what is hidden behind other things, loaded with the first occluder. */
import { Occlusion } from '../../render/occlusion/occlusion.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ world: { scene, stores } }: RenderPartHost): RenderPart {
  scene.occlusion ??= new Occlusion(stores);
  const { occlusion } = scene;
  return { execute: (reader) => occlusion.execute(reader) };
}
