/** The part for what users have of the frame graph, loaded with the first pass that a render module adds. */
import { ModulePasses, type ModulePassesHost } from '../modules/module-passes.js';
import type { RenderSide } from '../render-worker/render-side.js';

export function createPasses(
  { renderer }: Pick<RenderSide, 'renderer'>,
  host: Omit<ModulePassesHost, 'graph' | 'rhi' | 'scene'>,
): ModulePasses {
  const { scene } = renderer;
  return renderer.addPasses((graph, rhi) => new ModulePasses({ ...host, graph, rhi, scene }));
}
